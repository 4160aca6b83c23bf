package modelcall

import (
	"encoding/json"
	"strings"

	"mews/protocol"
)

// ToolArguments returns the arguments of a message's only call, which is of the named tool. A model
// without tools may write the arguments as text. ok is false for other calls.
func ToolArguments(m protocol.Message, tool string) (arguments json.RawMessage, ok bool) {
	calls := m.ToolCalls()
	switch {
	case len(calls) == 1 && calls[0].Name == tool:
		return calls[0].Arguments, true
	case len(calls) > 0:
		return nil, false
	}
	return json.RawMessage(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(m.Text()), "```json"), "```")), true
}
