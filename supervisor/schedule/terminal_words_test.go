package schedule

import (
	"fmt"
	"strings"
	"testing"

	"mews/supervisor"
)

func TestForTerminal_NamesNoChatCommand(t *testing.T) {
	for text, want := range map[string]string{
		textUsage:                           "a colon, and what: `mews job add 'tomorrow at 9: call the plumber'`\n",
		fmt.Sprintf(textNoText, "at 9"):     "Write it after a colon: `mews job add 'at 9: call Ann'`",
		fmt.Sprintf(textTooMany, 200):       "`mews job` lists them, and `mews job delete` deletes one.",
		textNoJobs:                          "Set one: `mews job add 'tomorrow at 9: call the plumber'`. Or ask",
		textWhichJob:                        "Which one? `mews job delete 3`. `mews job` lists them",
		fmt.Sprintf(textNoJob, "99"):        "There is no reminder or task 99. `mews job` lists them.",
		textChanged:                         "Look at `mews job`, and try again.",
		fmt.Sprintf(textPausedIt, "The", 7): "The 7 is paused. `mews job resume 7` resumes it.",
	} {
		err := errorForTerminal(supervisor.Errorf(supervisor.CodeInvalid, "%s", text))
		if got := forTerminal(text); !strings.Contains(got, want) || err.Error() != got {
			t.Errorf("%q: got %q and %v, want %q", text, got, err, want)
		}
	}
}
