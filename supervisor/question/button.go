package question

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// A button's press is "q:" + nonce + ":" + a word. The nonce alone tells questions apart there: it
// can't be guessed, and is kept nowhere but in the buttons.
const (
	prefix    = "q:"
	nonceSize = 16 // bytes: 128 bits (OWASP ASVS 5.0, 7.2.3, of reference tokens)
)

var encoding = base64.RawURLEncoding.Strict()

func newNonce() string {
	raw := make([]byte, nonceSize)
	rand.Read(raw) // never fails (crypto/rand)
	return encoding.EncodeToString(raw)
}

// digest is what is kept of a nonce.
func digest(nonce string) string {
	sum := sha256.Sum256([]byte(nonce))
	return hex.EncodeToString(sum[:])
}

// press is what is sent when a button with a word is pressed.
func press(nonce, word string) string { return prefix + nonce + ":" + word }

// maxWord bounds a button's word, in bytes: Telegram sends 64 with a press.
const maxWord = 64 - len(prefix) - 23

// parse reads a press. Anybody may have made it up.
func parse(press string) (nonce, word string, ok bool) {
	rest, ours := strings.CutPrefix(press, prefix)
	nonce, word, parted := strings.Cut(rest, ":")
	raw, err := encoding.DecodeString(nonce)
	if !ours || !parted || err != nil || len(raw) != nonceSize || len(nonce) != encoding.EncodedLen(nonceSize) || word == "" || len(word) > maxWord {
		return "", "", false
	}
	return nonce, word, true
}
