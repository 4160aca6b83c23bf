package speech

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mews/protocol"
	"mews/worker"
)

// notWords are the marks that recognisers write for silence.
var notWords = []string{"[blank_audio]", "[silence]", "(silence)"}

// maxRepeated bounds the repetitions of a line. Recognisers repeat a line without end when they
// hear noise.
const maxRepeated = 5

// aSentence matches a sentence with the spaces after it.
var aSentence = regexp.MustCompile(`(?s).+?(?:[.!?…]+(?:\s+|$)|[。！？]+\s*|\n\s*|$)`)

// spokenLines returns the lines that have spoken words, and not a mark for silence.
func spokenLines(lines []string) []string {
	lines = slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		key := lineKey(line)
		return key == "" || slices.Contains(notWords, key)
	})
	return dropRepeated(lines, func(line string) string { return line })
}

// dropRepeated drops items whose text occurs more than maxRepeated times in a row.
func dropRepeated[T any](all []T, text func(T) string) (kept []T) {
	for len(all) > 0 {
		n := 1
		for n < len(all) && lineKey(text(all[n])) == lineKey(text(all[0])) {
			n++
		}
		if n <= maxRepeated {
			kept = append(kept, all[:n]...)
		}
		all = all[n:]
	}
	return kept
}

// lineKey returns a line for comparison: without case, surrounding spaces and final punctuation.
func lineKey(line string) string {
	return strings.ToLower(strings.TrimRight(strings.TrimSpace(line), ".,!?… "))
}

// cutText returns the beginning of a text without control characters, cut to most bytes.
func cutText(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar || unicode.IsControl(r):
			return -1 // an incomplete character, which whisper may write at the end of a line
		}
		return r
	}, text)
	return strings.TrimSpace(worker.TrimPartialRune(text[:min(len(text), most)]))
}

// joinPieces returns the text of a recording, and the language of the longest part of the text.
func joinPieces(pieces []protocol.TranscribedPiece) (text, language string) {
	pieces = slices.DeleteFunc(slices.Clone(pieces), func(p protocol.TranscribedPiece) bool { return p.Text == "" })
	var texts []string
	said := map[string]int{}
	for _, p := range dropRepeated(pieces, func(p protocol.TranscribedPiece) string { return p.Text }) {
		texts = append(texts, p.Text)
		if said[p.Language] += len(p.Text); said[p.Language] > said[language] || language == "" {
			language = p.Language
		}
	}
	return cutText(strings.Join(texts, " "), protocol.MaxTranscriptBytes), language
}
