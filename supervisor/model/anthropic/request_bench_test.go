package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// BenchmarkRequest measures the encoding of a request with 40 messages and 20 tools.
func BenchmarkRequest(b *testing.B) {
	req := hi()
	text := strings.Repeat("a word of it ", 30)
	req.Messages, req.System = nil, strings.Repeat(text, 4)
	for i := range 20 {
		req.Messages = append(req.Messages,
			protocol.Message{Role: protocol.RoleUser, Parts: []protocol.ContentPart{{Text: text}}},
			protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: text}}})
		req.Tools = append(req.Tools, protocol.Tool{Name: fmt.Sprint("tool_", i), Description: text,
			Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"A path."}}}`)})
	}
	req.Messages = append(req.Messages, protocol.Message{Role: protocol.RoleUser,
		Parts: []protocol.ContentPart{{Text: "hi"}}})
	form := thinkingFormOf(req.Model, modelcall.ThinkingLow, DefaultMaxTokens)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := encode(req, form, DefaultMaxTokens); err != nil {
			b.Fatal(err)
		}
	}
}
