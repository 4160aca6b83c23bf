package access

import (
	"fmt"
	"io"
)

// Secret is a text that is shown to one user, once. Printing and marshalling give ***; only Reveal
// returns the text. The zero value is the empty secret.
//
// The text is behind a pointer, because fmt does not call methods of values in unexported fields:
// it prints an address there. (Package config has a similar type. Neither package may import the
// other, and no package lies below both.)
type Secret struct {
	text *string
}

const hidden = "***"

func newSecret(text string) Secret { return Secret{text: &text} }

// Reveal returns the secret text. Only code that shows the secret to its user calls this.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// RevealSecrets returns the texts of several secrets.
func RevealSecrets(secrets []Secret) []string {
	var plain []string
	for _, s := range secrets {
		plain = append(plain, s.Reveal())
	}
	return plain
}

// Format prints *** for every verb, with every flag.
func (Secret) Format(f fmt.State, _ rune) {
	// a write to fmt's buffer can't fail, and a Formatter can't return an error
	_, _ = io.WriteString(f, hidden)
}

// String returns ***, for callers that do not use fmt.
func (Secret) String() string { return hidden }

// MarshalText returns ***, for every encoding that uses it.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
