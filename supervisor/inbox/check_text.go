package inbox

import (
	"strings"
	"unicode/utf8"

	"mews/supervisor"
)

// maxKey is the maximum length of a client's name for a message, in bytes.
const maxKey = 128

// checkText returns an error if the text of an inbound is invalid. The text may be empty if the
// inbound has files.
func checkText(text string, files int) error {
	switch {
	case strings.TrimSpace(text) == "" && files == 0:
		return supervisor.Errorf(supervisor.CodeInvalid, textEmpty)
	case len(text) > supervisor.MaxInboundText:
		return supervisor.Errorf(supervisor.CodeInvalid, textTooLong, len(text)>>10, supervisor.MaxInboundText>>10)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return supervisor.Errorf(supervisor.CodeInvalid, textNotUTF8)
	}
	return nil
}

func checkKey(key string) error {
	switch {
	case key == "" || len(key) > maxKey:
		return supervisor.Errorf(supervisor.CodeInvalid, textKeySize, len(key), maxKey)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return supervisor.Errorf(supervisor.CodeInvalid, textKeyChar)
	}
	return nil
}

// cleanText makes any text valid UTF-8 without NUL.
func cleanText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}
