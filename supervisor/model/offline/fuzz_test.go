package offline

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// FuzzTurn plays whole turns on any history and with any results. The model must never panic. Its
// calls must use offered tools, with JSON objects as arguments. Each turn must end with text after
// at most maxCalls calls.
func FuzzTurn(f *testing.F) {
	f.Add("read", "Which file should I read?", "a.txt", "milk", false)
	f.Add("take a note", "What should the note say?", "delete a.txt; x", "interrupted: unknown", true)
	f.Add("hi", "Hello!", "create a.txt with x and then show it", "a.txt: lines 1-2 of 9\nx", false)
	f.Add("list", "", "read the file about milk", "a.md:1: x\nb.md:2: y", false)
	f.Add("move", "Which file should I move or rename?", "a.txt", "", true)
	f.Add("", "?", "show the last 5 lines of a.txt; how many files do I have; delete a.txt, b.txt and c.txt", "x",
		false)
	f.Fuzz(func(t *testing.T, first, said, text, result string, fails bool) {
		history := []protocol.Message{protocol.NewUserMessage(first), textMessage(said), protocol.NewUserMessage(text)}
		for calls := 0; ; calls++ {
			answer := next(t, history)
			if len(answer.ToolCalls()) == 0 {
				return
			}
			if calls == maxCalls {
				t.Fatalf("more than %d calls", maxCalls)
			}
			history = append(history, answer)
			for _, call := range answer.ToolCalls() {
				history = append(history, protocol.Message{Role: protocol.RoleTool, Parts: []protocol.ContentPart{{
					Result: &protocol.ToolResult{Call: call.ID, Name: call.Name, Text: result, Failed: fails},
				}}})
			}
		}
	})
}

// next returns the model's next message and checks it.
func next(t *testing.T, history []protocol.Message) protocol.Message {
	var streamed strings.Builder
	answer, err := Provider{}.Stream(context.Background(), modelcall.Request{Tools: offer(toolNames...),
		Messages: history},
		func(d modelcall.Delta) { streamed.WriteString(d.Text) })
	if err != nil {
		t.Fatal(err)
	}
	m := answer.Message
	if streamed.String() != m.Text() || m.Role != protocol.RoleAssistant {
		t.Fatalf("streamed %q, message %v", streamed.String(), m)
	}
	if m.Text() == "" && len(m.ToolCalls()) == 0 {
		t.Fatal("a message with nothing in it")
	}
	for _, call := range m.ToolCalls() {
		var object map[string]any
		if err := json.Unmarshal(call.Arguments, &object); err != nil || !utf8.Valid(call.Arguments) {
			t.Fatalf("%s: arguments %q: %v", call.Name, call.Arguments, err)
		}
	}
	return m
}
