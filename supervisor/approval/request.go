package approval

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"mews/supervisor"
)

// Request asks whether an effect may happen.
type Request struct {
	User         string                  // the user whose effect it is
	Conversation supervisor.Conversation // the chat in which the user is asked; only ID and User must be set
	Turn         int64                   // the turn that wants the effect; 0 means none
	// Inbound is the command or press that wants the effect; 0 means none.
	Inbound int64
	// TaintedBy is the turn whose words may taint the effect; 0 means Turn.
	TaintedBy int64
	Call      string // the tool call that wants the effect; "" means none
	Effect    string // the name of the effect, one of CoreEffects or of a feature
	// Arguments identify the effect, such as destination and name. Each effect has its own order of
	// arguments.
	Arguments []string
	// Content is the SHA-256 of the bytes that are sent, in hexadecimal; "" means none.
	Content string
	// Text is the question for the user, in whole sentences.
	Text string
	// Unasked denies the effect if its rule wants a question.
	Unasked bool
	// InGroup means that other people see the effect, because it happens in a group.
	InGroup bool
	// AsksItself means that the effect waits for the user anyway, and the user sees it first. Then
	// RuleAsk asks no further question.
	AsksItself bool
	// OwnWords means that the user's own words in the turn ask for the effect. Then a tainted turn
	// needs no question. A stricter rule of tainted turns still holds.
	OwnWords bool
	// NamesOrigins means that Text says which words of others the turn has read.
	NamesOrigins bool
	// Tainted means that there are words of others in the turn's request. Allow sets it.
	Tainted bool
}

// effects returns the effects whose rules a request needs.
func (r Request) effects() []string {
	if r.InGroup && r.Effect == EffectSendFile {
		return []string{EffectSendFile, EffectSendFileInGroup}
	}
	return []string{r.Effect}
}

// Subject returns a digest of exactly the effect that is asked about, in hexadecimal. Two requests
// have the same subject only if user, effect, arguments and content are the same.
func (r Request) Subject() string {
	h := sha256.New()
	field := func(text string) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	for _, text := range []string{"mews approval 1", r.User, r.Effect, r.Content} {
		field(text)
	}
	for _, text := range r.Arguments {
		field(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}
