package inbox

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mews/protocol/foreign"
	"mews/supervisor"
)

// anewPrefix begins the press of a button that asks for a new answer. The inbound's number follows.
const anewPrefix = "e:"

// OfferNewAnswer returns the message that offers a new answer to an edited inbound.
func OfferNewAnswer(inbound int64) (text string, buttons [][]supervisor.Button) {
	return textEditedAnswered, [][]supervisor.Button{
		{{Text: textAnswerAnew, Press: anewPrefix + strconv.FormatInt(inbound, 10)}},
	}
}

// ParseNewAnswerPress returns the inbound for which a press asks for a new answer. The press may be
// forged.
func ParseNewAnswerPress(press string) (inbound int64, ok bool) {
	id, ok := strings.CutPrefix(press, anewPrefix)
	inbound, err := strconv.ParseInt(id, 10, 64)
	return inbound, ok && err == nil && inbound > 0
}

// retryPrefix begins the press of a button that tries a parked turn again. The turn's number
// follows.
const retryPrefix = "again:"

// RetryButtons returns the buttons below the answer of a parked turn.
func RetryButtons(turn int64) [][]supervisor.Button {
	return [][]supervisor.Button{{{Text: textTryAgain, Press: retryPrefix + strconv.FormatInt(turn, 10)}}}
}

// ParseRetryPress returns the turn that a press tries again. The press may be forged.
func ParseRetryPress(press string) (turn int64, ok bool) {
	id, ok := strings.CutPrefix(press, retryPrefix)
	turn, err := strconv.ParseInt(id, 10, 64)
	return turn, ok && err == nil && turn > 0
}

// UnreadableFilesNote returns the note in a text about earlier files that could not be read.
func UnreadableFilesNote(names []string) string {
	slices.Sort(names)
	return fmt.Sprintf(textUnread, strings.Join(slices.Compact(names), ", "))
}

// ReplacementNote returns the note that a message replaces an earlier message. text is the text of
// the earlier message.
func ReplacementNote(text string) string {
	own, _ := SplitNotes(text)
	return fmt.Sprintf(textInstead, foreign.SanitizeName(quote(own)))
}

// SplitNotes separates a text from the notes of UnreadableFilesNote and ReplacementNote.
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

// CorrectionText tells a running turn the old and the new text of its user's message.
func CorrectionText(was, now string) string {
	was, _ = SplitNotes(was)
	now, _ = SplitNotes(now)
	return fmt.Sprintf(textCorrection, quote(was), cmp.Or(strings.TrimSpace(now), textNoWords))
}

// maxQuoted is how many characters of a message are quoted to identify the message.
const maxQuoted = 200

// quote returns the first maxQuoted characters of a text.
func quote(text string) string {
	if runes := []rune(text); len(runes) > maxQuoted {
		text = string(runes[:maxQuoted-1]) + "…"
	}
	return cmp.Or(strings.TrimSpace(text), textNoWords)
}
