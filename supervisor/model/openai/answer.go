package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"mews/supervisor/model/remote"
)

const (
	maxThinking = 4 << 20 // bytes of thinking, which is not kept; a model with more thinking is stuck
	maxCalls    = 128     // OpenAI's own limit of tools in a request
)

// chunk is one event of the stream.
type chunk struct {
	ID      string          `json:"id"`
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
	Content string          `json:"content"`
	Refusal string          `json:"refusal"`
	Thought json.RawMessage `json:"reasoning_content"` // llama.cpp's, LM Studio's and DeepInfra's
	// Ollama's, vLLM's, Groq's and OpenRouter's
	Reasoning json.RawMessage `json:"reasoning"`
	ToolCalls []callDelta     `json:"tool_calls"`
}

type callDelta struct {
	Index    *int   `json:"index"` // missing in early releases of Ollama
	ID       string `json:"id"`
	Function struct {
		Name string `json:"name"`
		// a piece of a string; some servers send an object
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// answerBuilder builds an answer from its chunks.
type answerBuilder struct {
	endpoint    *remote.Endpoint
	progress    remote.Progress
	say         func(string)
	write       func(string) // takes text and passes it to said, through the filters
	model       string
	names       map[string]string // our tools' names, by their names on the wire
	idInBody    bool              // the chunks' id is the request's id
	text        strings.Builder
	thinkFilter *thinkFilter // nil if the text has no thinking
	callFilter  *callFilter  // nil if the text has no calls
	calls       []*call
	thought     int // bytes of thinking
}

func (b *answerBuilder) Progress() *remote.Progress { return &b.progress }

// newAnswerBuilder creates a builder that passes text to say as it comes. If thinks is true,
// thinking is removed from the text. If told is true, calls are removed from the text.
func newAnswerBuilder(say func(string), thinks, told bool) *answerBuilder {
	b := &answerBuilder{say: say}
	b.write = b.said
	if told {
		b.callFilter = &callFilter{emit: b.write}
		b.write = b.callFilter.write
	}
	if thinks {
		b.thinkFilter = &thinkFilter{emit: b.write}
		b.write = b.thinkFilter.write
	}
	return b
}

// call is a tool call that is still growing.
type call struct {
	index     int
	id        string
	name      string
	arguments strings.Builder
}

// Add takes one event and passes its text on.
func (b *answerBuilder) Add(e remote.Event) error {
	var c chunk
	if string(e.Data) == "[DONE]" {
		b.progress.Ended = true
		return nil
	}
	if e.Name == "error" {
		return b.endpoint.StreamRefusal(e.Data)
	}
	if err := remote.Decode(e.Data, &c); err != nil {
		return err
	}
	if len(c.Error) > 0 && !bytes.Equal(c.Error, []byte("null")) {
		return b.endpoint.StreamRefusal(e.Data)
	}
	if b.model == "" {
		b.model = c.Model
		if b.idInBody && remote.IsIdentifier(c.ID) {
			b.progress.Request = c.ID
		}
	}
	if c.Usage != nil {
		b.progress.Usage = c.Usage.counts()
	}
	for _, ch := range c.Choices {
		if err := b.addChoice(ch); err != nil {
			return err
		}
	}
	return nil
}

// addChoice takes only the first choice, because no request asks for more.
func (b *answerBuilder) addChoice(ch choice) error {
	if ch.Index != 0 {
		return nil
	}
	if err := b.addText(ch.Delta.Content + ch.Delta.Refusal); err != nil {
		return err
	}
	thought := len(ch.Delta.Thought) + len(ch.Delta.Reasoning)
	b.progress.Received += int64(thought)
	if b.thought += thought; b.thought > maxThinking {
		return remote.ErrTooLong
	}
	for _, d := range ch.Delta.ToolCalls {
		if err := b.addCall(d); err != nil {
			return err
		}
	}
	if ch.FinishReason != "" {
		b.progress.Finish = ch.FinishReason
	}
	return nil
}

func (b *answerBuilder) addText(text string) error {
	if err := b.grow(len(text)); err != nil || text == "" {
		return err
	}
	b.write(text)
	return nil
}

func (b *answerBuilder) said(text string) {
	b.text.WriteString(text)
	b.say(text)
}

func (b *answerBuilder) addCall(d callDelta) error {
	c := b.callFor(d)
	size := 0
	if c.id == "" {
		c.id, size = d.ID, len(d.ID)
	}
	if c.name == "" {
		c.name, size = d.Function.Name, size+len(d.Function.Name)
	}
	piece := remote.Unquote(d.Function.Arguments)
	c.arguments.WriteString(piece)
	if len(b.calls) > maxCalls {
		return remote.ErrTooLong
	}
	return b.grow(size + len(piece))
}

// callFor returns the call that a piece belongs to, or begins a new call. A piece with a new id
// begins a call, with any index: Ollama has sent several calls with the index 0. A piece without an
// index belongs to the newest call.
func (b *answerBuilder) callFor(d callDelta) *call {
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

// grow counts n more bytes of the answer, and fails if it is too long.
func (b *answerBuilder) grow(n int) error {
	b.progress.Received += int64(n)
	return b.progress.Grow(n)
}
