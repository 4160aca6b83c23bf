package check

import (
	"errors"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

func TestParse_UselessCheck_IsRefused(t *testing.T) {
	for _, c := range []protocol.CheckArguments{{}, {Ask: "is it?"}, {Files: "a", Command: "b"},
		{Files: "a", Changes: []string{"newer"}}, {Command: "a\x00b"}} {
		if _, err := ParseCondition(c); !errors.As(err, new(*supervisor.Error)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A pattern that leads out of the folder is refused, because it never matches a file.
func TestParse_PatternOutsideFolder_IsRefused(t *testing.T) {
	for pattern, inside := range map[string]bool{"/etc/*": false, "../../*": false, "notes/../../x": false,
		"..": false, "{/etc,out}/*": false, "{a,../b}/*": false, "~/out/*": false,
		"out/*": true, "./out/*": true, "a..b/*": true, "...": true, "{a,b}/**": true, "out/~x": true} {
		_, err := ParseCondition(protocol.CheckArguments{Files: pattern})
		if told := new(supervisor.Error); inside != (err == nil) ||
			err != nil && (!errors.As(err, &told) || !strings.Contains(told.Message, "no pattern within your folder")) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}
