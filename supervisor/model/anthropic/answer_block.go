package anthropic

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/supervisor/model/remote"
)

// answerBlock is a block of an answer, perhaps still incomplete.
type answerBlock struct {
	index     int
	kind      string // text, tool_use, thinking, redacted_thinking, or an ignored kind
	start     json.RawMessage
	id, name  string
	text      strings.Builder // the text, arguments or thinking
	signature string
}

func (n *answerBlock) call(i int) *protocol.ToolCall {
	id := cmp.Or(n.id, "toolu_"+strconv.Itoa(i+1))
	return &protocol.ToolCall{ID: id, Name: n.name, Arguments: remote.ParseArguments(n.input())}
}

// input returns the arguments of a call as text. A block without deltas has its arguments in the
// start event. Anthropic's start event always has an empty object, which does not count.
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

// thinkingJSON returns the block of the start event, with the thinking and the signature from later
// events. It keeps unknown fields.
func (n *answerBlock) thinkingJSON() json.RawMessage {
	if n.kind == "redacted_thinking" {
		return n.start
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(n.start, &fields) != nil {
		return n.start
	}
	fields["thinking"], fields["signature"] = quote(n.text.String()), quote(n.signature)
	out, _ := json.Marshal(fields) // the values can always be encoded
	return out
}

func quote(text string) json.RawMessage {
	out, _ := json.Marshal(text) // a string can always be encoded
	return out
}
