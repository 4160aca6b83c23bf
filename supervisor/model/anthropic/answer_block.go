package anthropic

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/supervisor/model/remote"
)

// answerBlock is a block of an answer that is coming in.
type answerBlock struct {
	index     int
	kind      string // text, tool_use, thinking, redacted_thinking, or one that is ignored
	start     json.RawMessage
	id, name  string
	text      strings.Builder // or arguments, or thinking
	signature string
}

func (n *answerBlock) call(i int) *protocol.ToolCall {
	id := cmp.Or(n.id, "toolu_"+strconv.Itoa(i+1))
	return &protocol.ToolCall{ID: id, Name: n.name, Arguments: remote.ParseArguments(n.input())}
}

// input is the text of a call's arguments. In a block without deltas it is the input of the block's
// start, except for the empty object with which Anthropic starts each.
func (n *answerBlock) input() string {
	var start struct {
		Input json.RawMessage `json:"input"`
	}
	text := n.text.String()
	if text == "" && json.Unmarshal(n.start, &start) == nil && string(start.Input) != "{}" {
		text = string(start.Input)
	}
	return text
}

// thought is the block's start with the thinking and the signature that came later. It keeps fields
// that are not known here.
func (n *answerBlock) thought() json.RawMessage {
	if n.kind == "redacted_thinking" {
		return n.start
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(n.start, &fields) != nil {
		return n.start
	}
	fields["thinking"], fields["signature"] = quote(n.text.String()), quote(n.signature)
	out, _ := json.Marshal(fields) // they were JSON, or are strings
	return out
}

func quote(text string) json.RawMessage {
	out, _ := json.Marshal(text) // a string always can be
	return out
}
