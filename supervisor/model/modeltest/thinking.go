package modeltest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// RedactedThinkingPrefix begins the thinking that is sent as redacted_thinking.
const RedactedThinkingPrefix = "[redacted] "

// sign returns the signature of a message's thinking block. The signature needs no secret, because
// it only has to reveal mistakes.
func sign(id, thought, text string) string {
	mac := hmac.New(sha256.New, []byte("modeltest"))
	for _, part := range []string{id, thought, strings.TrimSpace(text)} {
		sum := sha256.Sum256([]byte(part))
		mac.Write(sum[:])
	}
	return id + "." + base64.RawStdEncoding.EncodeToString(mac.Sum(nil))
}

func isSigned(signature, thought, text string) bool {
	id, _, ok := strings.Cut(signature, ".")
	return ok && signature == sign(id, thought, text)
}

// checkThoughts checks the thinking blocks. Each must be an unchanged block from a server of this
// package. It may appear only once in a message, at the beginning.
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
	if b.Type == "redacted_thinking" && !isSigned(b.Data, RedactedThinkingPrefix, text) {
		return bad("messages.%d.content.%d: Invalid `data` in `redacted_thinking` block", i, j)
	}
	if b.Type == "thinking" && !isSigned(b.Signature, b.Thinking, text) {
		return bad("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, j)
	}
	return nil
}
