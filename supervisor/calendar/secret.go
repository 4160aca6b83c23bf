package calendar

import (
	"encoding/base64"
	"strings"

	"mews/supervisor"
	"mews/supervisor/slash"
)

// Sealer encrypts the addresses of calendars.
type Sealer interface {
	Seal(user string, plain []byte) ([]byte, error)
	Open(user string, sealed []byte) ([]byte, error)
}

// sealedPrefix begins a sealed address in the text of a command.
const sealedPrefix = "sealed:"

// NewHider returns a function that takes a calendar's address out of an inbound's text. So the
// address is never stored. A sealed address replaces it, which only the command can open. In a
// group, or without a key, textHidden replaces it.
func NewHider(seal Sealer) func(in supervisor.Inbound) (_ supervisor.Inbound, hidden bool) {
	return func(in supervisor.Inbound) (supervisor.Inbound, bool) {
		name, arguments := slash.Parse(in.Text)
		word, rest := cutWord(arguments)
		if name != commandName || !strings.EqualFold(word, wordSubscribe) || rest == "" {
			return in, false
		}
		kept := textHidden
		if !in.Conversation.IsInGroup() {
			if sealed, err := seal.Seal(in.Conversation.User, []byte(rest)); err == nil {
				kept = sealedPrefix + base64.RawURLEncoding.EncodeToString(sealed)
			}
		}
		in.Text = subscribeText(kept)
		return in, true
	}
}

// subscribeText returns the text of a command that subscribes to a calendar.
func subscribeText(arguments string) string {
	return "/" + commandName + " " + wordSubscribe + " " + arguments
}

// cutWord splits a text after its first word.
func cutWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	end := strings.IndexAny(text, " \t\r\n")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// openAddress returns the words after the command that NewHider has sealed.
func (c *Calendar) openAddress(user, sealed string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(sealed, sealedPrefix))
	if err != nil {
		return "", err
	}
	plain, err := c.o.Seal.Open(user, raw)
	return string(plain), err
}
