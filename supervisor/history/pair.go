package history

import (
	"slices"

	"mews/protocol"
)

// unrecorded is the text for a result that the transcript lacks. A turn that ends stores a result
// for each of its calls. So only a restored or edited database has a call without a result.
const unrecorded = "no result of this call was recorded"

// PairResults puts each result after the message with its call, in the order of the calls.
// Providers refuse a call without its result, and a result without its call. In a transcript,
// results may be in any order. If no message has a call, the messages are returned unchanged.
func PairResults(messages []protocol.Message) []protocol.Message {
	if !slices.ContainsFunc(messages, ofTools) {
		return messages
	}
	results := map[string]protocol.Message{}
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Result != nil {
				results[p.Result.Call] = m
			}
		}
	}
	out := make([]protocol.Message, 0, len(messages))
	for _, m := range messages {
		if m.Role == protocol.RoleTool {
			continue
		}
		out = append(out, m)
		for _, call := range m.ToolCalls() {
			if r, ok := results[call.ID]; ok {
				out = append(out, r)
				continue
			}
			out = append(out, protocol.Message{Role: protocol.RoleTool,
				Parts: []protocol.ContentPart{{Result: &protocol.ToolResult{
					Call: call.ID, Name: call.Name, Text: unrecorded, Failed: true,
				}}}})
		}
	}
	return out
}

// ofTools reports whether a message is the result of a tool, or has a tool call.
func ofTools(m protocol.Message) bool {
	return m.Role == protocol.RoleTool || slices.ContainsFunc(m.Parts,
		func(p protocol.ContentPart) bool { return p.Call != nil })
}
