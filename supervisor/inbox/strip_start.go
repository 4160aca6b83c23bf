package inbox

import (
	"regexp"

	"mews/supervisor"
)

// startText is what is kept of a /start, whoever sends it and wherever.
const startText = "/start"

// startWithMore is a /start with something behind it.
var startWithMore = regexp.MustCompile(`(?i)^\s*/start(?:@\S*)?\s+\S`)

// stripStart takes from an inbound what stands behind a /start: that may be an invite's code, with
// which somebody else could come in. Where a code is taken, that was done before. stripped says
// that there was something: nothing of the inbound as it came is to be kept then.
func stripStart(in supervisor.Inbound) (_ supervisor.Inbound, stripped bool) {
	if in.Kind == supervisor.KindPress || !startWithMore.MatchString(in.Text) {
		return in, false
	}
	in.Text = startText
	return in, true
}
