package inbox

import (
	"strings"
	"unicode"

	"mews/supervisor"
)

// startText is what is kept of a /start, whoever sends it and wherever.
const startText = "/start"

// stripStart takes from an inbound what stands behind a /start: that may be an invite's code, with which somebody else could come
// in. Where a code is taken, it was taken before this. bared says that there was something; then nothing of the inbound as
// it came is to be kept.
func stripStart(in supervisor.Inbound) (_ supervisor.Inbound, bared bool) {
	word, behind := strings.TrimSpace(in.Text), ""
	if end := strings.IndexFunc(word, unicode.IsSpace); end >= 0 {
		word, behind = word[:end], word[end:]
	}
	name, _, _ := strings.Cut(word, "@")
	if in.Kind == supervisor.KindPress || behind == "" || !strings.EqualFold(name, startText) {
		return in, false
	}
	in.Text = startText
	return in, true
}
