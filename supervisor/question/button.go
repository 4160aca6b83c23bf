package question

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
)

// A button's press is "q:" + nonce + ":" + answer. The nonce alone tells questions apart there: it can't be guessed, and is
// kept nowhere but in the buttons.
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

// parse reads a press. Anybody may have made it up.
func parse(press string) (nonce string, answer supervisor.Answer, ok bool) {
	rest, ours := strings.CutPrefix(press, prefix)
	nonce, word, parted := strings.Cut(rest, ":")
	raw, err := encoding.DecodeString(nonce)
	if !ours || !parted || err != nil || len(raw) != nonceSize || len(nonce) != encoding.EncodedLen(nonceSize) {
		return "", supervisor.AnswerNone, false
	}
	switch answer := supervisor.Answer(word); answer {
	case supervisor.AnswerOnce, supervisor.AnswerAlways, supervisor.AnswerDeny:
		return nonce, answer, true
	}
	return "", supervisor.AnswerNone, false
}

func buttons(q supervisor.Question, nonce string) (rows [][]supervisor.Button) {
	for _, b := range textsButtons[q.Kind] {
		rows = append(rows, []supervisor.Button{{Text: fill(b.text, q), Press: prefix + nonce + ":" + string(b.answer)}})
	}
	return rows
}

// fill puts a question's amount into a text.
func fill(text string, q supervisor.Question) string {
	return strings.ReplaceAll(text, "{amount}", amount.Dollars(q.Amount))
}
