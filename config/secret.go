package config

import (
	"fmt"
	"io"
)

// Secret is text that must not be shown. It is printed and marshalled as ***. Only Reveal returns
// the text. The zero value is the empty secret. The text is behind a pointer: for a value in an
// unexported field, fmt calls no methods and prints only an address.
type Secret struct {
	text *string
}

const hidden = "***"

func NewSecret(text string) Secret { return Secret{text: &text} }

// Reveal returns the secret text, for the code that uses it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Format prints *** for every verb, with every flag.
func (Secret) Format(f fmt.State, _ rune) {
	// Writing into fmt's buffer cannot fail, and a Formatter cannot return an error.
	_, _ = io.WriteString(f, hidden)
}

// String returns *** to callers without fmt.
func (Secret) String() string { return hidden }

// MarshalText returns *** for encodings that have no method of their own here.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// MarshalJSON returns "***".
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// MarshalYAML returns ***.
func (Secret) MarshalYAML() (any, error) { return hidden, nil }
