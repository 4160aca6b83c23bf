package openai

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// sharing returns a request whose first parts other requests share.
func sharing(shared int, texts ...string) modelcall.Request {
	m := protocol.Message{Role: protocol.RoleUser}
	for _, text := range texts {
		m.Parts = append(m.Parts, protocol.ContentPart{Text: text})
	}
	return modelcall.Request{Model: "anthropic/claude", System: "review", Messages: []protocol.Message{m},
		Cache: 5 * time.Minute, Shared: shared}
}

func TestCacheByKey_SharedContext_HasOneKey(t *testing.T) {
	key := func(req modelcall.Request) string {
		r := &request{}
		cacheByKey(r, req)
		return r.CacheKey
	}
	first := key(sharing(2, "context", "part 1", "task"))
	if other := key(sharing(2, "context", "part 2", "another task")); other != first {
		t.Errorf("the keys of a review are %s and %s", first, other)
	}
	if other := key(sharing(2, "another context", "part 1", "task")); other == first {
		t.Error("two reviews have one key")
	}
	if other := key(sharing(0, "context", "part 2", "task")); other == first {
		t.Error("a conversation has the key of a review")
	}
}

func TestCacheByMarks_SharedParts_GetMarks(t *testing.T) {
	req := sharing(2, "context", "part", "task")
	messages, err := messagesOf(req)
	if err != nil {
		t.Fatal(err)
	}
	r := &request{Messages: messages}
	cacheByMarks(r, req)
	parts := r.Messages[1].parts()
	if len(parts) != 3 || parts[0].Cache == nil || parts[1].Cache == nil || parts[2].Cache != nil ||
		r.Messages[1].text() != "contextparttask" {
		t.Errorf("%+v", parts)
	}
	if !removeMarks(r) || len(r.Messages[1].parts()) != 1 {
		t.Errorf("without marks %+v", r.Messages[1].parts())
	}
}
