package question

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// Parts of a button's press: "q:" + nonce + ":" + word. The nonce identifies the question. The
// nonce can't be guessed, and only the buttons have it.
const (
	prefix    = "q:"
	nonceSize = 16 // bytes of a nonce: 128 bits (OWASP ASVS 5.0, 7.2.3, about reference tokens)
)

var encoding = base64.RawURLEncoding.Strict()

func newNonce() string {
	raw := make([]byte, nonceSize)
	rand.Read(raw) // Read never fails (crypto/rand)
	return encoding.EncodeToString(raw)
}

// digest returns the hash of a nonce, which the store has instead of the nonce.
func digest(nonce string) string {
	sum := sha256.Sum256([]byte(nonce))
	return hex.EncodeToString(sum[:])
}

// press returns the data of a button's press.
func press(nonce, word string) string { return prefix + nonce + ":" + word }

// maxWord is the most bytes of a button's word: Telegram allows 64 bytes in a press.
const maxWord = 64 - len(prefix) - 23

// parse parses a press, which may be forged.
func parse(press string) (nonce, word string, ok bool) {
	rest, ours := strings.CutPrefix(press, prefix)
	nonce, word, parted := strings.Cut(rest, ":")
	raw, err := encoding.DecodeString(nonce)
	if !ours || !parted || err != nil || len(raw) != nonceSize || len(nonce) != encoding.EncodedLen(nonceSize) || word == "" || len(word) > maxWord {
		return "", "", false
	}
	return nonce, word, true
}
