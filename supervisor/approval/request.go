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
	Call    string // the tool call that wants the effect; "" means none
	Effect  string // the name of the effect, one of CoreEffects or of a feature
	// Arguments identify the effect, such as destination and name. Each effect has its own order of
	// arguments.
	Arguments []string
	// Content is the SHA-256 of the bytes that are sent, in hexadecimal; "" means none.
	Content string
	// Text is the question for the user, in whole sentences.
	Text string
	// Unasked denies the effect if its rule wants a question.
	Unasked bool
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
