package printable

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// writer is a writer of NewWriter.
type writer struct {
	out  io.Writer
	rest []byte // beginning of a character that the next Write completes
}

// NewWriter returns a writer of text with many lines. It escapes control and invisible characters
// as EscapeControls does, but keeps tabs and ends of lines.
func NewWriter(out io.Writer) io.Writer { return &writer{out: out} }

func (w *writer) Write(b []byte) (int, error) {
	text := append(w.rest, b...)
	whole := len(text) - unfinished(text)
	w.rest = bytes.Clone(text[whole:])
	for line := range strings.Lines(string(text[:whole])) {
		line, end := strings.CutSuffix(line, "\n")
		if end {
			line = strings.TrimSuffix(line, "\r")
		}
		fields := strings.Split(line, "\t")
		for i := range fields {
			fields[i] = EscapeControls(fields[i])
		}
		line = strings.Join(fields, "\t")
		if end {
			line += "\n"
		}
		if _, err := io.WriteString(w.out, line); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// unfinished returns the number of bytes at the end of a text that begin a character.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if at := len(text) - n; utf8.RuneStart(text[at]) {
			if utf8.FullRune(text[at:]) {
				return 0
			}
			return n
		}
	}
	return 0
}
