package inbox

import (
	"regexp"

	"mews/supervisor"
)

// startText is the stored text of any /start.
const startText = "/start"

// startWithMore matches a /start with an argument.
var startWithMore = regexp.MustCompile(`(?i)^\s*/start(?:@\S*)?\s+\S`)

// stripStart removes the argument of a /start. The argument may be the code of an invite, which
// another person could use. Invites are redeemed before this call. If stripped is true, nothing of
// the original inbound may be stored.
func stripStart(in supervisor.Inbound) (_ supervisor.Inbound, stripped bool) {
	if in.Kind == supervisor.KindPress || !startWithMore.MatchString(in.Text) {
		return in, false
	}
	in.Text = startText
	return in, true
}
