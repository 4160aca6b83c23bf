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

// A button's press is "q:" + nonce + ":" + answer. The nonce is all that tells questions apart there: it can't be guessed,
// and is kept nowhere but in the buttons.
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

// answers are what buttons may say.
var answers = map[string]supervisor.Answer{
	"once":   supervisor.AnswerOnce,
	"always": supervisor.AnswerAlways,
	"deny":   supervisor.AnswerDeny,
}

// parse reads a press. What comes may have been made up by anybody.
func parse(press string) (nonce string, answer supervisor.Answer, ok bool) {
	rest, ours := strings.CutPrefix(press, prefix)
	nonce, word, parted := strings.Cut(rest, ":")
	answer, known := answers[word]
	raw, err := encoding.DecodeString(nonce)
	if !ours || !parted || !known || err != nil || len(raw) != nonceSize ||
		len(nonce) != encoding.EncodedLen(nonceSize) {
		return "", supervisor.AnswerNone, false
	}
	return nonce, answer, true
}

// buttonLabel is a button of a kind of question.
type buttonLabel struct {
	answer supervisor.Answer
	text   func(q supervisor.Question) string
}

func fixed(text string) func(supervisor.Question) string {
	return func(supervisor.Question) string { return text }
}

// labels are each kind's buttons, one row each.
var labels = map[supervisor.QuestionKind][]buttonLabel{
	supervisor.QuestionBudget: {
		{supervisor.AnswerOnce, func(q supervisor.Question) string {
			return "Go on, up to " + amount.Dollars(q.Amount) + " more"
		}},
		{supervisor.AnswerDeny, fixed("Stop")},
	},
	supervisor.QuestionApproval: {
		{supervisor.AnswerOnce, fixed("Once")},
		{supervisor.AnswerAlways, fixed("Always for exactly this")},
		{supervisor.AnswerDeny, fixed("Deny")},
	},
}

func buttons(q supervisor.Question, nonce string) (rows [][]supervisor.Button) {
	for _, l := range labels[q.Kind] {
		rows = append(rows, []supervisor.Button{{Text: l.text(q), Press: prefix + nonce + ":" + string(l.answer)}})
	}
	return rows
}
