package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"mews/supervisor/model/remote"
)

const (
	maxThinking = 4 << 20 // maximum size of thinking in bytes; a model that thinks more is stuck; thinking is not kept
	maxCalls    = 128     // maximum number of calls; OpenAI has this limit for tools in a request
)

// chunk is an event of the stream.
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
	Thought json.RawMessage `json:"reasoning_content"` // thinking of llama.cpp, LM Studio and DeepInfra
	// thinking of Ollama, vLLM, Groq and OpenRouter
	Reasoning json.RawMessage `json:"reasoning"`
	ToolCalls []callDelta     `json:"tool_calls"`
}

type callDelta struct {
	Index    *int   `json:"index"` // nil in early releases of Ollama
	ID       string `json:"id"`
	Function struct {
		Name string `json:"name"`
		// a piece of a string; some servers send a whole object
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// answerBuilder builds an answer from its chunks.
type answerBuilder struct {
	endpoint    *remote.Endpoint
	progress    remote.AnswerProgress
	say         func(string)
	write       func(string) // passes text through the filters to the caller
	model       string
	names       map[string]string // our tools' names by their names in the request
	idInBody    bool              // the id of the chunks is the request's id
	text        strings.Builder
	thinkFilter *thinkFilter // nil if the text contains no thinking
	callFilter  *callFilter  // nil if the text contains no calls
	calls       []*call
	thought     int // bytes of thinking
}

func (b *answerBuilder) Progress() *remote.AnswerProgress { return &b.progress }

// newAnswerBuilder returns a builder that passes text to say as it comes. If thinks is true, it
// removes thinking from the text. If told is true, it removes calls from the text.
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

// call is a tool call, perhaps still incomplete.
type call struct {
	index     int
	id        string
	name      string
	arguments strings.Builder
}

// AddEvent takes an event and passes its text on.
func (b *answerBuilder) AddEvent(e remote.ServerEvent) error {
	var c chunk
	if string(e.Data) == "[DONE]" {
		b.progress.Ended = true
		return nil
	}
	if e.Name == "error" {
		return b.endpoint.ParseStreamRefusal(e.Data)
	}
	if err := remote.DecodeJSON(e.Data, &c); err != nil {
		return err
	}
	if len(c.Error) > 0 && !bytes.Equal(c.Error, []byte("null")) {
		return b.endpoint.ParseStreamRefusal(e.Data)
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

// addChoice uses only the first choice, because requests ask for one.
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
		return remote.ErrAnswerTooLong
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
	piece := remote.UnquoteJSON(d.Function.Arguments)
	c.arguments.WriteString(piece)
	if len(b.calls) > maxCalls {
		return remote.ErrAnswerTooLong
	}
	return b.grow(size + len(piece))
}

// callFor returns the call that a piece belongs to, or begins a new call. A piece with a new id
// begins a call, whatever its index: Ollama has sent several calls with the index 0. A piece
// without an index belongs to the newest call.
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

// grow adds n bytes to the answer's size, and fails if the answer is too long.
func (b *answerBuilder) grow(n int) error {
	b.progress.Received += int64(n)
	return b.progress.CountBytes(n)
}
