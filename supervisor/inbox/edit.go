package inbox

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
)

// AnewFor is how long after its answer an edit of a message is asked about.
const AnewFor = 10 * time.Minute

// anewPrefix begins the press of a button that has an edited message be answered anew. Its
// inbound's number stands behind it.
const anewPrefix = "e:"

// OffersAnew says whether a person is asked if a message is answered anew that they have edited so
// long after its answer.
func OffersAnew(age time.Duration) bool { return age >= 0 && age < AnewFor }

// AnewOffer asks a person whether an inbound that they have edited is answered anew.
func AnewOffer(inbound int64) (text string, buttons [][]supervisor.Button) {
	return textEditedAnswered, [][]supervisor.Button{
		{{Text: textAnswerAnew, Press: anewPrefix + strconv.FormatInt(inbound, 10)}},
	}
}

// AnewPressed is the inbound that a press is to have answered anew. Anybody may have made it up.
func AnewPressed(press string) (inbound int64, ok bool) {
	id, ok := strings.CutPrefix(press, anewPrefix)
	inbound, err := strconv.ParseInt(id, 10, 64)
	return inbound, ok && err == nil && inbound > 0
}

// WithUnread is added to the text that follows what could not be looked at, by the names of that.
func WithUnread(names []string) string {
	slices.Sort(names)
	return fmt.Sprintf(textUnread, strings.Join(slices.Compact(names), ", "))
}

// InsteadOf is added to a message that takes the place of another one, which had a text.
func InsteadOf(text string) string {
	own, _ := SplitNotes(text)
	return fmt.Sprintf(textInstead, quote(own))
}

// SplitNotes takes off a text what WithUnread or InsteadOf have added to it.
func SplitNotes(text string) (own, notes string) {
	at := len(text)
	for _, format := range []string{textUnread, textInstead} {
		begins, _, _ := strings.Cut(format, "%s")
		if i := strings.LastIndex(text, begins); i >= 0 {
			at = min(at, i)
		}
	}
	return text[:at], text[at:]
}

// Correction tells a turn that runs what a message of its person's was, and what it is now.
func Correction(was, now string) string {
	was, _ = SplitNotes(was)
	now, _ = SplitNotes(now)
	return fmt.Sprintf(textCorrection, quote(was), cmp.Or(strings.TrimSpace(now), textNoWords))
}

// maxQuoted is how many characters of a message tell which one it was.
const maxQuoted = 200

// quote is the beginning of a text.
func quote(text string) string {
	if runes := []rune(text); len(runes) > maxQuoted {
		text = string(runes[:maxQuoted-1]) + "…"
	}
	return cmp.Or(strings.TrimSpace(text), textNoWords)
}
