package approval

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"mews/supervisor"
)

// Request is an effect that wants to leave the walls.
type Request struct {
	User         string                  // whose turn it is
	Conversation supervisor.Conversation // where they are asked; its ID and User are enough
	Turn         int64                   // that wants it; 0 where none does
	// the command or the press that wants it; 0 where none does
	Inbound int64
	Call    string // the model's call; "" where none asked for it
	Effect  string // one of the Effects
	// all that makes the effect what it is, in an order of the effect's own: where it goes, under
	// which name
	Arguments []string
	// SHA-256 of the bytes that leave, in hexadecimal; "" where there are none
	Content string
	// what the person reads when they are asked: whole sentences
	Text string
}

// Subject is a digest of exactly what is asked about, in hexadecimal. Two requests have one if and
// only if they are of one user, one effect, the same arguments and the same content.
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
