package hostcall

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"

	"mews/protocol"
	"mews/supervisor/history"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// countedRequest is the last request whose tokens its provider has counted.
type countedRequest struct {
	spec   string
	tokens int64
	req    modelcall.Request // System, Tools and Messages of the counted request

	asked  string // digest of the counted messages, if req is unknown
	answer int64  // ID of the model's answer to the counted messages, if req is unknown
}

// measure returns the known token count of a part of a request. The result is empty unless the
// request shares messages with the counted request.
func (m countedRequest) measure(req modelcall.Request) (known modelcall.TokenCount) {
	switch {
	case m.spec == "":
		return known
	case m.asked != "":
		return m.measureRecalled(req)
	}
	counted := m.req.Messages
	var fresh []protocol.Message
	for _, one := range req.Messages {
		at := slices.IndexFunc(counted, func(other protocol.Message) bool { return sameMessage(one, other) })
		if at < 0 {
			fresh = append(fresh, one)
			continue
		}
		counted = counted[at+1:]
	}
	if len(fresh) == len(req.Messages) {
		return known
	}
	return modelcall.TokenCount{Spec: m.spec, Tokens: m.tokens, New: fresh,
		Other: req.System != m.req.System || !reflect.DeepEqual(req.Tools, m.req.Tools)}
}

// sameMessage compares two messages. It is fast if their parts share memory, as is usual.
func sameMessage(a, b protocol.Message) bool {
	shared := len(a.Parts) == len(b.Parts) && len(a.Parts) > 0 && &a.Parts[0] == &b.Parts[0]
	return a.ID == b.ID && a.Role == b.Role && (shared || reflect.DeepEqual(a.Parts, b.Parts))
}

// readTranscript updates the cached transcript. If the cache is empty, it also reads the stored
// token count.
func (t *turn) readTranscript(ctx context.Context) error {
	known := t.transcript.newest() > 0
	if err := t.transcript.catchUp(ctx, t.o.Transcript, t.Conversation); err != nil || known {
		return err
	}
	counted, err := t.o.Usage.FindTokenCount(ctx, t.Conversation)
	if err == nil {
		t.transcript.recall(counted)
	}
	return err
}

// recall restores the token count of a conversation from an earlier connection. The system text and
// tools of that count are unknown.
func (p *transcriptCache) recall(c sqlite.TokenCount) {
	p.counted = countedRequest{spec: c.Spec, tokens: c.Input, asked: c.Asked, answer: c.Answer}
}

// measureRecalled returns the token count of a part of a request, from a restored count. The result
// is empty unless the request has the counted messages.
func (m countedRequest) measureRecalled(req modelcall.Request) (known modelcall.TokenCount) {
	n := slices.IndexFunc(req.Messages, func(one protocol.Message) bool { return one.ID >= m.answer })
	if n < 0 || digest(req.Messages[:n]) != m.asked {
		return known
	}
	return modelcall.TokenCount{Spec: m.spec, Tokens: m.tokens, New: req.Messages[n:], Other: true}
}

// digest identifies messages; without messages it is "". A message of a transcript never changes,
// but a request may shorten it. A message's ID and length together are unique.
func digest(messages []protocol.Message) string {
	if len(messages) == 0 {
		return ""
	}
	sum := sha256.New()
	for i, m := range messages {
		fmt.Fprintln(sum, m.ID, m.Role, history.EstimateTokens(messages[i:i+1]))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// newCountedRequest returns an answered request with the provider's token count. The result is
// empty if the count is an estimate.
func newCountedRequest(req modelcall.Request, said modelcall.Answer) countedRequest {
	if said.Usage.Estimated {
		return countedRequest{}
	}
	sent := req.Messages
	if said.Asked != nil {
		sent = said.Asked
	}
	return countedRequest{spec: said.Spec, tokens: said.Usage.Input,
		req: modelcall.Request{System: req.System, Tools: req.Tools, Messages: sent}}
}
