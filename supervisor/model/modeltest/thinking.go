package modeltest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Redacted begins an Answer's Thinking that the client is not to read: it is given as redacted_thinking.
const Redacted = "[redacted] "

// seal proves that a server of this package gave a thought, in the message that says text. It is no secret: it finds
// mistakes, not forgers.
func seal(id, thought, text string) string {
	mac := hmac.New(sha256.New, []byte("modeltest"))
	for _, part := range []string{id, thought, strings.TrimSpace(text)} {
		sum := sha256.Sum256([]byte(part))
		mac.Write(sum[:])
	}
	return id + "." + base64.RawStdEncoding.EncodeToString(mac.Sum(nil))
}

func sealed(signature, thought, text string) bool {
	id, _, ok := strings.Cut(signature, ".")
	return ok && signature == seal(id, thought, text)
}

// checkThoughts wants each thinking block to be one that was given, unchanged, at the beginning of the message that it was
// given with, and once.
func checkThoughts(_ *Server, l *messagesRequest) *refusal {
	seen := map[string]bool{}
	for i, t := range l.params {
		text := plainText(t.blocks)
		for j, b := range t.blocks {
			if !isThought(b) {
				continue
			}
			if refused := b.checkThought(text, i, j); refused != nil {
				return refused
			}
			if j > 0 || seen[b.Signature+b.Data] {
				return bad("messages.%d.content.%d: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot "+
					"be modified. These blocks must remain as they were in the original response.", i, j)
			}
			seen[b.Signature+b.Data] = true
		}
	}
	return nil
}

func (b block) checkThought(text string, i, j int) *refusal {
	if b.Type == "redacted_thinking" && !sealed(b.Data, Redacted, text) {
		return bad("messages.%d.content.%d: Invalid `data` in `redacted_thinking` block", i, j)
	}
	if b.Type == "thinking" && !sealed(b.Signature, b.Thinking, text) {
		return bad("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, j)
	}
	return nil
}
