package slash_test

import (
	"strings"
	"testing"

	"mews/supervisor/slash"
)

func TestParse_Command_GivesNameAndArguments(t *testing.T) {
	long := strings.Repeat("x", 32)
	for text, want := range map[string][2]string{
		"/stop": {"stop", ""}, "/Stop@mews_bot now": {"stop", "now"}, "/stop\nnow\n": {"stop", "now"}, "/new ": {"new", ""},
		"/lock  ALL ": {"lock", "ALL"}, "/x_1 a  b": {"x_1", "a  b"}, "/" + long: {long, ""},
		"": {}, "stop": {}, "/": {}, "//stop": {}, " /stop": {}, "/etc/passwd": {}, "/stop, please": {}, "/stop@": {}, "/1": {},
		"/" + long + "x": {}, "/stop@a-b": {}, "/stop@" + strings.Repeat("a", 65): {},
	} {
		if name, arguments := slash.Parse(text); [2]string{name, arguments} != want {
			t.Errorf("%q is %q, %q, want %q", text, name, arguments, want)
		}
	}
}
