package config

import (
	"fmt"
	"io"
)

// Secret is text that must not be shown. However it is printed or marshalled it is ***; Reveal is
// the only way to it. The zero value is the empty secret.
//
// The text is behind a pointer because fmt does not call methods of values in unexported fields:
// there it prints an address.
type Secret struct {
	text *string
}

const hidden = "***"

// NewSecret hides text.
func NewSecret(text string) Secret { return Secret{text: &text} }

// Reveal is the text itself, for the one place that needs it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
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

// MarshalJSON makes "***" of it.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// MarshalYAML makes *** of it.
func (Secret) MarshalYAML() (any, error) { return hidden, nil }
