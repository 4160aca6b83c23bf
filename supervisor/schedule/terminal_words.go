package schedule

import (
	"errors"
	"regexp"

	"mews/supervisor"
)

// terminalWords replace the chat's commands in texts for `mews job`. The first rules are the
// longest.
var terminalWords = []struct {
	chat     *regexp.Regexp
	terminal string
}{
	{regexp.MustCompile(`(\d+) is paused\. /jobs has a button to resume it\.`),
		"$1 is paused. `mews job resume $1` resumes it."},
	{regexp.MustCompile(`/remind ([^:\n]+: [\pL ]+)`), "`mews job add '$1'`"},
	{regexp.MustCompile(`/canceljob (\d+)`), "`mews job delete $1`"},
	{regexp.MustCompile(`/canceljob\b`), "`mews job delete`"},
	{regexp.MustCompile(`/remind\b`), "`mews job add`"},
	{regexp.MustCompile(`/jobs\b`), "`mews job`"},
}

// forTerminal returns a text of the chat for a user of `mews job`.
func forTerminal(text string) string {
	for _, w := range terminalWords {
		text = w.chat.ReplaceAllString(text, w.terminal)
	}
	return text
}

// errorForTerminal returns an error with its text for a user of `mews job`.
func errorForTerminal(err error) error {
	told := new(supervisor.Error)
	if !errors.As(err, &told) || forTerminal(told.Message) == told.Message {
		return err
	}
	return &supervisor.Error{Code: told.Code, Message: forTerminal(told.Message), Err: told.Err}
}
