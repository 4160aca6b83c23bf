package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

const (
	maxThinking = 4 << 20 // maximum bytes of thinking, which is not kept; a model that thinks more is stuck
	maxCalls    = 128     // maximum number of calls in an answer; OpenAI allows as many tools in a request
)

// chunk is an event of the stream.
type chunk struct {
	ID      looseText       `json:"id"`
	Model   looseText       `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type choice struct {
	Index        int       `json:"index"`
	Delta        delta     `json:"delta"`
	Message      delta     `json:"message"` // the whole message of an answer that is no stream
	FinishReason looseText `json:"finish_reason"`
}

// looseText is a text that the answer does not need. A number or a boolean counts as its text, and
// any other value as "".
type looseText string

func (t *looseText) UnmarshalJSON(data []byte) error {
	*t = ""
	if len(data) > 0 && data[0] != '{' && data[0] != '[' {
		*t = looseText(remote.UnquoteJSON(data))
	}
	return nil
}

// emptyErrors are the values of an answer's field error that mean no error.
var emptyErrors = []string{"", "null", `""`, "false", "{}", "[]"}

type delta struct {
	Content messageContent  `json:"content"`
	Refusal string          `json:"refusal"`
	Thought json.RawMessage `json:"reasoning_content"` // thinking, under the name of llama.cpp, LM Studio and DeepInfra
	// thinking, under the name that Ollama, vLLM, Groq and OpenRouter use
	Reasoning json.RawMessage `json:"reasoning"`
	ToolCalls []callDelta     `json:"tool_calls"`
	// the call in answers of old servers, which send only one; it has neither id nor index
	FunctionCall *functionDelta  `json:"function_call"`
	Details      json.RawMessage `json:"reasoning_details"`
	Extra        json.RawMessage `json:"extra_content"`
}

type callDelta struct {
	Index    *int            `json:"index"` // nil for Gemini, and in early releases of Ollama
	ID       string          `json:"id"`
	Function functionDelta   `json:"function"`
	Extra    json.RawMessage `json:"extra_content"`
}

type functionDelta struct {
	Name string `json:"name"`
	// a piece of the arguments' text; some servers send a whole object
	Arguments json.RawMessage `json:"arguments"`
}

// messageContent is the text of a message: a string, or a list of parts. Mistral puts its thinking
// into the list, next to the text.
type messageContent struct {
	text    string
	thought int // number of bytes of thinking in the content
}

func (c *messageContent) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '[' {
		return json.Unmarshal(data, &c.text) // JSON null becomes ""
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	var text strings.Builder
	defer func() { c.text += text.String() }()
	for _, raw := range parts {
		var p struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		switch err := json.Unmarshal(raw, &p); {
		case err != nil && len(raw) > 0 && raw[0] == '"':
			text.WriteString(remote.UnquoteJSON(raw))
		case err != nil:
			return err
		case p.Type == "thinking":
			c.thought += len(raw)
		default:
			text.WriteString(p.Text)
		}
	}
	return nil
}

// answerBuilder builds an answer from its chunks.
type answerBuilder struct {
	endpoint    *remote.Endpoint
	progress    remote.AnswerProgress
	say         func(string)
	unsay       func()       // takes back the text that say has received
	write       func(string) // passes text through the filters to the caller
	model       string
	names       map[string]string // our tools' names by their names in the request
	idInBody    bool              // the id of the chunks is the request's id
	text        strings.Builder
	thinkFilter *thinkFilter // nil if the text contains no thinking
	callFilter  *callFilter  // nil if the text contains no calls
	// nil if a text is never a call
	textCalls *textCallFilter
	req       modelcall.Request // the request, for calls written as text
	calls     []*call
	thought   int  // number of received bytes of thinking
	totalled  bool // the final chunk with the usage has come

	// parts that the server wants back; see returned.go
	server    server
	origin    string
	inCalls   bool // the model has called tools since the user's last message
	reasoning strings.Builder
	details   []reasoningDetail
	// bytes of the received details
	detailBytes int
	extra       json.RawMessage
}

func (b *answerBuilder) Progress() *remote.AnswerProgress { return &b.progress }

// newAnswerBuilder returns a builder that passes text to say as it comes. If thinks is true, it
// removes thinking from the text. If told is true, it removes calls from the text.
func newAnswerBuilder(say func(string), thinks, told bool) *answerBuilder {
	b := &answerBuilder{say: say, unsay: func() {}}
	b.write = b.said
	if told {
		b.callFilter = &callFilter{emit: b.write}
		b.write = b.callFilter.write
	}
	if thinks {
		b.thinkFilter = &thinkFilter{emit: b.write, retract: b.retract}
		b.write = b.thinkFilter.write
	}
	return b
}

// AddEvent takes an event and passes its text on.
func (b *answerBuilder) AddEvent(e remote.ServerEvent) error {
	var c chunk
	if string(e.Data) == "[DONE]" {
		b.progress.Ended = true
		if b.progress.Finish == "" && b.totalled {
			b.progress.Finish = finishMissing
		}
		return nil
	}
	if e.Name == "error" {
		return b.endpoint.ParseStreamRefusal(e.Data)
	}
	if err := remote.DecodeJSON(e.Data, &c); err != nil {
		return err
	}
	if !slices.Contains(emptyErrors, string(c.Error)) {
		return b.endpoint.ParseStreamRefusal(e.Data)
	}
	if b.model == "" {
		b.model = string(c.Model)
		if id := string(c.ID); b.idInBody && remote.IsIdentifier(id) {
			b.progress.Request = id
		}
	}
	if c.Usage != nil {
		b.progress.Usage = c.Usage.counts()
		b.totalled = b.totalled || len(c.Choices) == 0
	}
	for _, ch := range c.Choices {
		if e.Whole {
			ch.Delta, ch.FinishReason = ch.Message, cmp.Or(ch.FinishReason, "stop")
		}
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
	said := ch.Delta
	if err := b.addText(said.Content.text + said.Refusal); err != nil {
		return err
	}
	thought := len(said.Thought) + len(said.Reasoning) + said.Content.thought
	b.progress.Received += int64(thought)
	if b.thought += thought; b.thought > maxThinking {
		return remote.ErrAnswerTooLong
	}
	b.addReturned(said)
	if f := said.FunctionCall; f != nil {
		said.ToolCalls = append(said.ToolCalls, callDelta{Index: new(int), Function: *f})
	}
	for _, d := range said.ToolCalls {
		if err := b.addCall(d); err != nil {
			return err
		}
	}
	if ch.FinishReason != "" {
		b.progress.Finish = string(ch.FinishReason)
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

// readTextCalls turns a text into calls, if the text consists only of calls of req's tools.
func (b *answerBuilder) readTextCalls(req modelcall.Request) {
	b.textCalls, b.req = &textCallFilter{emit: b.pass}, req
}

func (b *answerBuilder) said(text string) {
	if b.textCalls != nil {
		b.textCalls.write(text)
		return
	}
	b.pass(text)
}

// pass adds a text to the answer, and passes it to the caller.
func (b *answerBuilder) pass(text string) {
	b.text.WriteString(text)
	b.say(text)
}

// retract drops all text and all calls written as text, because they were thinking.
func (b *answerBuilder) retract() {
	if b.callFilter != nil {
		*b.callFilter = callFilter{emit: b.callFilter.emit}
	}
	if b.textCalls != nil {
		*b.textCalls = textCallFilter{emit: b.pass}
	}
	b.text.Reset()
	b.unsay()
}

// grow adds n bytes to the answer's size, and fails if the answer is too long.
func (b *answerBuilder) grow(n int) error {
	b.progress.Received += int64(n)
	return b.progress.CountBytes(n)
}
