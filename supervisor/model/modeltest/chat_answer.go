package modeltest

import "fmt"

// chatStream writes the chunks of an answer.
type chatStream struct {
	*stream
	e      *exchange
	traits traits
}

// writeChat writes an answer in OpenAI's format.
func writeChat(a Answer, out *stream, e *exchange) {
	c := &chatStream{out, e, e.server.Dialect.traits()}
	if !e.Stream {
		c.whole(a)
		return
	}
	if c.traits.comment != "" {
		c.line(c.traits.comment)
	}
	c.delta(map[string]any{"role": "assistant", "content": ""}, nil)
	c.say(c.traits.thinkingKey, a.Thinking, a.Chunk)
	if c.traits.encrypts && a.Thinking != "" {
		c.delta(map[string]any{"reasoning_details": encrypted(c.e.ID)}, nil)
	}
	c.say(a.textKey(), a.Text, a.Chunk)
	c.calls(a)
	if r := a.late(e); r != nil {
		c.line(c.traits.late(r, e))
		return
	}
	c.delta(map[string]any{}, c.finish(a))
	if e.usage {
		c.chunk([]any{}, e.cost.chat())
	}
	if !c.traits.noDone {
		c.line("data: [DONE]\n\n")
	}
}

// textKey returns the name of the delta's field for text. A model that declines uses another field.
func (a Answer) textKey() string {
	if a.Stop == StopReasonRefusal {
		return "refusal"
	}
	return "content"
}

func (c *chatStream) say(key, text string, size int) {
	for _, piece := range pieces(text, size) {
		c.pause()
		c.delta(map[string]any{key: piece}, nil)
	}
}

// calls writes the calls one after another. For a server that mixes calls, it alternates between
// the calls.
func (c *chatStream) calls(a Answer) {
	size := a.Chunk
	if c.traits.wholeCalls {
		size = 0
	}
	var rest [][]string
	for i, call := range a.Calls {
		cut := pieces(call.Args, size)
		if c.traits.wholeCalls {
			c.callWhole(i, call)
			continue
		}
		c.callHead(i, call)
		if c.traits.mixedCalls {
			rest = append(rest, cut)
			continue
		}
		for _, piece := range cut {
			c.callPiece(i, piece)
		}
	}
	for left := true; left; {
		left = false
		for i := range rest {
			if len(rest[i]) > 0 {
				c.callPiece(i, rest[i][0])
				rest[i], left = rest[i][1:], true
			}
		}
	}
}

func callID(i int, call Call) string {
	if call.ID == "" {
		return fmt.Sprintf("call_%d", i+1)
	}
	return call.ID
}

func (c *chatStream) callHead(i int, call Call) {
	head := map[string]any{"index": i, "id": callID(i, call), "type": "function",
		"function": map[string]any{"name": call.Name, "arguments": ""}}
	c.delta(map[string]any{"tool_calls": []any{head}}, nil)
}

func (c *chatStream) callPiece(i int, piece string) {
	c.pause()
	more := map[string]any{"index": i, "function": map[string]any{"arguments": piece}}
	c.delta(map[string]any{"tool_calls": []any{more}}, nil)
}

func (c *chatStream) callWhole(i int, call Call) {
	c.pause()
	whole := map[string]any{"index": i, "id": callID(i, call), "type": "function",
		"function": map[string]any{"name": call.Name, "arguments": call.Args}}
	if c.traits.signedCalls {
		delete(whole, "index")
	}
	if c.traits.signedCalls && i == 0 {
		whole["extra_content"] = signCall(c.e.ID, call)
	}
	c.delta(map[string]any{"tool_calls": []any{whole}}, nil)
}

// finish returns the finish reason. For calls, Gemini sends the same reason as for a finished text.
func (c *chatStream) finish(a Answer) string {
	if c.traits.signedCalls && a.Finish == "" && a.Stop == "" {
		return "stop"
	}
	return a.finish(FormatOpenAI)
}

func (c *chatStream) delta(delta map[string]any, finish any) {
	c.chunk([]any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}, nil)
}

func (c *chatStream) chunk(choices []any, usage any) {
	c.data(map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": c.e.Model,
		"choices": choices, "usage": usage})
}

// whole writes the answer as one JSON object.
func (c *chatStream) whole(a Answer) {
	if r := a.late(c.e); r != nil {
		c.line(r.chatBody(c.e.server))
		return
	}
	message := map[string]any{"role": "assistant", "content": nil, a.textKey(): orNull(a.Text)}
	if a.Thinking != "" {
		message[c.traits.thinkingKey] = a.Thinking
	}
	var calls []any
	for i, call := range a.Calls {
		calls = append(calls, map[string]any{"id": callID(i, call), "type": "function",
			"function": map[string]any{"name": call.Name, "arguments": call.Args}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	c.line(string(mustJSON(map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": c.e.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": a.finish(FormatOpenAI)}},
		"usage":   c.e.cost.chat()})))
}

// chat returns token counts in OpenAI's format.
func (c counts) chat() any {
	return map[string]any{
		"prompt_tokens": c.total(), "completion_tokens": c.output, "total_tokens": c.total() + c.output,
		"prompt_tokens_details":     map[string]any{"cached_tokens": c.read},
		"completion_tokens_details": map[string]any{"reasoning_tokens": c.thought},
	}
}
