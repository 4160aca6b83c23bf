package access

import (
	"fmt"
	"io"
)

// Secret is text that is shown to one person, once. It is printed and marshalled as ***; only
// Reveal gives the text. The zero value is the empty secret.
//
// The text is behind a pointer because fmt does not call methods of values in unexported fields:
// there it prints an address. (config has a type like it: neither side may import the other, and
// nothing stands below both.)
type Secret struct {
	text *string
}

const hidden = "***"

func newSecret(text string) Secret { return Secret{text: &text} }

// Reveal is the text itself, for the one place that shows it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// RevealAll are the texts of several secrets, for the one place that shows them.
func RevealAll(secrets []Secret) []string {
	var plain []string
	for _, s := range secrets {
		plain = append(plain, s.Reveal())
	}
	return plain
}

// Format prints *** for every verb, with every flag.
func (Secret) Format(f fmt.State, _ rune) {
	// A write into the buffer of a print cannot fail, and a Formatter has nowhere to say so.
	_, _ = io.WriteString(f, hidden)
}

// String is for those who ask for it without fmt.
func (Secret) String() string { return hidden }

// MarshalText makes *** of it in every encoding that knows no better.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
