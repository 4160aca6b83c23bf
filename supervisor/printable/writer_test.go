package printable

import (
	"io"
	"strings"
	"testing"
)

// TestWriter_AnyParts_EscapesSameText: the result does not depend on the parts in which text comes.
func TestWriter_AnyParts_EscapesSameText(t *testing.T) {
	const text = "a\tb\r\n\x1b]52;c;x\a ü → 🐈\n\nbad \xff end\r"
	want := "a\tb\n" + `\x1b]52;c;x\a ü → 🐈` + "\n\nbad \ufffd end" + `\r`
	for size := 1; size <= len(text); size++ {
		var b strings.Builder
		w := NewWriter(&b)
		for rest := text; rest != ""; {
			part := rest[:min(size, len(rest))]
			rest = rest[len(part):]
			if _, err := io.WriteString(w, part); err != nil {
				t.Fatal(err)
			}
		}
		got := b.String()
		if strings.ReplaceAll(got, `\r`+"\n", "\n") != want {
			t.Errorf("in parts of %d bytes: %q, want %q", size, got, want)
		}
	}
}
