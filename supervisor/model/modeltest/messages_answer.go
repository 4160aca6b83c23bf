package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// messageStream writes the events of Anthropic's format, and numbers the blocks.
type messageStream struct {
	*stream
	e      *exchange
	blocks int
	chunk  int
	open   int // the block in which the stream fails; -1 means none
}

// writeMessages writes an answer in Anthropic's format.
func writeMessages(a Answer, out *stream, e *exchange) {
	a.Thinking = e.thinks(a.Thinking)
	if !e.Stream {
		writeMessage(a, out, e)
		return
	}
	late := a.late(e)
	m := &messageStream{out, e, 0, a.Chunk, -1}
	if late != nil {
		m.open = a.blocks() - 1
	}
	head := e.message([]any{}, nil)
	head["usage"] = e.cost.messages(1)
	m.event("message_start", map[string]any{"message": head})
	m.think(a)
	m.say(a)
	for i, call := range a.Calls {
		m.call(i, call)
	}
	if late != nil {
		m.line("event: error\ndata: " + late.messagesBody(e.ID) + "\n\n")
		return
	}
	m.event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": a.finish(FormatAnthropic),
		"stop_sequence": nil},
		"usage": e.cost.messages(e.cost.output)})
	m.event("message_stop", map[string]any{})
}

// thinks returns the thinking of the script's answer. If there is none, but the turn must begin
// with thinking, it invents a thought. If the request allows no thinking, it returns "".
func (e *exchange) thinks(thought string) string {
	switch {
	case e.Thinking == "":
		return ""
	case thought == "" && !e.turnThought:
		return "Let me think."
	}
	return thought
}

// thought returns thinking as a block.
func (e *exchange) thought(a Answer) map[string]any {
	if strings.HasPrefix(a.Thinking, RedactedThinkingPrefix) {
		return map[string]any{"type": "redacted_thinking", "data": sign(e.ID, RedactedThinkingPrefix, a.Text)}
	}
	return map[string]any{"type": "thinking", "thinking": a.Thinking, "signature": sign(e.ID, a.Thinking, a.Text)}
}

func (e *exchange) message(content []any, stop any) map[string]any {
	return map[string]any{"id": strings.Replace(e.ID, "req", "msg", 1), "type": "message", "role": "assistant",
		"model": e.Model, "content": content, "stop_reason": stop, "stop_sequence": nil}
}

// start begins a block. After the first block comes a ping, as from the real API.
func (m *messageStream) start(block map[string]any) {
	m.event("content_block_start", map[string]any{"index": m.blocks, "content_block": block})
	if m.blocks == 0 {
		m.event("ping", map[string]any{})
	}
}

func (m *messageStream) delta(kind, key, value string) {
	m.pause()
	m.event("content_block_delta", map[string]any{"index": m.blocks, "delta": map[string]any{"type": kind, key: value}})
}

func (m *messageStream) stop() {
	if m.blocks != m.open {
		m.event("content_block_stop", map[string]any{"index": m.blocks})
	}
	m.blocks++
}

// blocks returns the number of blocks in an answer.
func (a Answer) blocks() int {
	n := len(a.Calls)
	for _, text := range []string{a.Thinking, a.Text} {
		if text != "" {
			n++
		}
	}
	return n
}

func (m *messageStream) think(a Answer) {
	if a.Thinking == "" {
		return
	}
	block := m.e.thought(a)
	if block["type"] == "redacted_thinking" {
		m.start(block)
		m.stop()
		return
	}
	m.start(map[string]any{"type": "thinking", "thinking": "", "signature": ""})
	for _, piece := range pieces(a.Thinking, m.chunk) {
		m.delta("thinking_delta", "thinking", piece)
	}
	m.delta("signature_delta", "signature", block["signature"].(string))
	m.stop()
}

func (m *messageStream) say(a Answer) {
	if a.Text == "" {
		return
	}
	m.start(map[string]any{"type": "text", "text": ""})
	for _, piece := range pieces(a.Text, m.chunk) {
		m.delta("text_delta", "text", piece)
	}
	m.stop()
}

// useOf returns the id of a call. The id is unique for the server.
func (e *exchange) useOf(i int, call Call) string {
	if call.ID == "" {
		return fmt.Sprintf("toolu_%s_%d", strings.TrimPrefix(e.ID, "req_"), i+1)
	}
	return call.ID
}

// call writes a call. It writes the arguments as they are, even if they are invalid. The first
// piece is always empty.
func (m *messageStream) call(i int, call Call) {
	m.start(map[string]any{"type": "tool_use", "id": m.e.useOf(i, call), "name": call.Name, "input": map[string]any{}})
	m.delta("input_json_delta", "partial_json", "")
	for _, piece := range pieces(call.Args, m.chunk) {
		m.delta("input_json_delta", "partial_json", piece)
	}
	m.stop()
}

// writeMessage writes the answer as one JSON object.
func writeMessage(a Answer, out *stream, e *exchange) {
	if r := a.late(e); r != nil {
		out.line(r.messagesBody(e.ID))
		return
	}
	content := []any{}
	if a.Thinking != "" {
		content = append(content, e.thought(a))
	}
	if a.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": a.Text})
	}
	for i, call := range a.Calls {
		input := json.RawMessage(call.Args)
		if !json.Valid(input) {
			input = json.RawMessage("{}") // this format can't contain invalid JSON
		}
		content = append(content, map[string]any{"type": "tool_use", "id": e.useOf(i, call), "name": call.Name, "input": input})
	}
	whole := e.message(content, a.finish(FormatAnthropic))
	whole["usage"] = e.cost.messages(e.cost.output)
	out.line(string(mustJSON(whole)))
}

// messages returns token counts in Anthropic's format.
func (c counts) messages(output int64) any {
	return map[string]any{
		"input_tokens": c.input, "cache_read_input_tokens": c.read, "cache_creation_input_tokens": c.written(),
		"cache_creation": map[string]any{"ephemeral_5m_input_tokens": c.write5m, "ephemeral_1h_input_tokens": c.write1h},
		"output_tokens":  output, "service_tier": "standard",
	}
}
