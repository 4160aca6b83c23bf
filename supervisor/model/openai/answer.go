package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

const (
	maxAnswer = 512 << 10 // bytes of text and arguments, so that the message fits the wire to the worker
	maxCalls  = 128       // OpenAI's own limit of tools in a request; nobody calls more at once
)

// lengthMark ends an answer that the endpoint broke off at its limit of tokens, so that nobody takes it for whole.
const lengthMark = "\n\n[The answer breaks off here: the model reached the limit of what it may say at once.]"

// chunk is one event of the stream.
type chunk struct {
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type choice struct {
	Index        int    `json:"index"`
	Delta        delta  `json:"delta"`
	FinishReason string `json:"finish_reason"`
}

type delta struct {
	Content   string      `json:"content"`
	Refusal   string      `json:"refusal"`
	ToolCalls []callDelta `json:"tool_calls"`
}

type callDelta struct {
	Index    *int   `json:"index"` // missing in early releases of Ollama
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // a piece of a string; some servers send an object
	} `json:"function"`
}

type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Details    *struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// builder puts an answer together from its chunks. The zero value is ready.
type builder struct {
	model  string
	text   strings.Builder
	calls  []*call
	size   int    // bytes of text and arguments
	finish string // why the model ended; "" until it has
	usage  protocol.Usage
}

// call is a tool call that is coming in.
type call struct {
	index     int
	id        string
	name      string
	arguments strings.Builder
}

// add takes one event and says its text, if it has any.
func (b *builder) add(ev event, say func(string)) error {
	var c chunk
	if ev.name == "error" {
		return readFailure(0, ev.data)
	}
	if err := json.Unmarshal(ev.data, &c); err != nil {
		return fmt.Errorf("%w: %w", errNotChunk, err)
	}
	if len(c.Error) > 0 && !bytes.Equal(c.Error, []byte("null")) {
		return readFailure(0, ev.data)
	}
	if b.model == "" {
		b.model = c.Model
	}
	if c.Usage != nil {
		b.usage = c.Usage.words()
	}
	for _, ch := range c.Choices {
		if err := b.addChoice(ch, say); err != nil {
			return err
		}
	}
	return nil
}

// addChoice takes the first choice alone; we never ask for more.
func (b *builder) addChoice(ch choice, say func(string)) error {
	if ch.Index != 0 {
		return nil
	}
	if err := b.addText(ch.Delta.Content+ch.Delta.Refusal, say); err != nil {
		return err
	}
	for _, d := range ch.Delta.ToolCalls {
		if err := b.addCall(d); err != nil {
			return err
		}
	}
	if ch.FinishReason != "" {
		b.finish = ch.FinishReason
	}
	return nil
}

func (b *builder) addText(text string, say func(string)) error {
	if err := b.grow(len(text)); err != nil || text == "" {
		return err
	}
	b.text.WriteString(text)
	say(text)
	return nil
}

func (b *builder) addCall(d callDelta) error {
	c := b.callFor(d)
	size := 0
	if c.id == "" {
		c.id, size = d.ID, len(d.ID)
	}
	if c.name == "" {
		c.name, size = d.Function.Name, size+len(d.Function.Name)
	}
	piece := unquote(d.Function.Arguments)
	c.arguments.WriteString(piece)
	if len(b.calls) > maxCalls {
		return errTooLong
	}
	return b.grow(size + len(piece))
}

// callFor finds the call that a piece belongs to, or begins one. A piece with another id begins one whatever its index
// says: Ollama has sent several calls that all had index 0. A piece without an index goes on with the newest call.
func (b *builder) callFor(d callDelta) *call {
	for i := len(b.calls) - 1; i >= 0; i-- {
		c := b.calls[i]
		if d.Index != nil && c.index != *d.Index {
			continue
		}
		if d.ID != "" && c.id != "" && c.id != d.ID {
			break
		}
		return c
	}
	c := &call{index: len(b.calls)}
	if d.Index != nil {
		c.index = *d.Index
	}
	b.calls = append(b.calls, c)
	return c
}

func (b *builder) grow(n int) error {
	if b.size += n; b.size > maxAnswer {
		return errTooLong
	}
	return nil
}

// unquote is the text of a JSON string, and any other value as it stands.
func unquote(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil { // null leaves s empty
		return s
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}

// answer is the whole message, or why there is none. A reason that nobody has heard of is as good as "stop".
func (b *builder) answer(say func(string)) (supervisor.ModelAnswer, error) {
	nothing := len(b.calls) == 0 && strings.TrimSpace(b.text.String()) == ""
	switch {
	case b.finish == "":
		return supervisor.ModelAnswer{}, errCutOff
	case b.finish == "content_filter":
		return supervisor.ModelAnswer{}, errFiltered
	case b.finish == "length" && nothing:
		return supervisor.ModelAnswer{}, errNoRoom
	case nothing:
		return supervisor.ModelAnswer{}, errEmpty
	case b.finish == "length" && len(b.calls) == 0:
		b.text.WriteString(lengthMark)
		say(lengthMark)
	}
	parts, err := b.parts()
	message := protocol.Message{Role: protocol.RoleAssistant, Parts: parts}
	return supervisor.ModelAnswer{Message: message, Model: b.model, Usage: b.usage}, err
}

func (b *builder) parts() ([]protocol.Part, error) {
	var parts []protocol.Part
	if text := b.text.String(); strings.TrimSpace(text) != "" {
		parts = append(parts, protocol.Part{Text: text})
	}
	for i, c := range b.calls {
		if c.name == "" {
			return nil, errNoName
		}
		if c.id == "" {
			c.id = "call_" + strconv.Itoa(i+1)
		}
		arguments := parseArguments(c.arguments.String())
		parts = append(parts, protocol.Part{Call: &protocol.ToolCall{ID: c.id, Name: c.name, Arguments: arguments}})
	}
	return parts, nil
}

// words are the counts as the supervisor keeps them. What cannot be a count is none.
func (u usage) words() protocol.Usage {
	out := protocol.Usage{Input: max(u.Prompt, 0), Output: max(u.Completion, 0)}
	if u.Details != nil {
		out.CacheRead = max(u.Details.Cached, 0)
	}
	return out
}
