package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

const maxBlocks = 256 // maximum number of blocks in an answer; no model calls more tools at once

// event is an event of the stream. Fields that the event does not have are empty.
type event struct {
	Type    string `json:"type"`
	Message struct {
		Model string `json:"model"`
		Usage usage  `json:"usage"`
	} `json:"message"`
	Index int             `json:"index"`
	Block json.RawMessage `json:"content_block"`
	Delta struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		JSON       string `json:"partial_json"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

// usage has token counts since the start of the message. If an event lacks a count, that count has
// not changed.
type usage struct {
	Input   *int64 `json:"input_tokens"`
	Output  *int64 `json:"output_tokens"`
	Read    *int64 `json:"cache_read_input_tokens"`
	Written *int64 `json:"cache_creation_input_tokens"`
}

// answerBuilder builds an answer from its events.
type answerBuilder struct {
	endpoint *remote.Endpoint
	say      func(string)
	origin   string // provider, host and model, as in protocol.Thinking
	progress remote.AnswerProgress
	model    string
	blocks   []*answerBlock

	input, output, read, written int64 // numbers of tokens that the API has counted so far, by kind
}

func (b *answerBuilder) Progress() *remote.AnswerProgress { return &b.progress }

// eventHandlers has a function for each type of event. Unknown types are ignored.
var eventHandlers = map[string]func(*answerBuilder, event) error{
	"message_start":       (*answerBuilder).begin,
	"content_block_start": (*answerBuilder).open,
	"content_block_delta": (*answerBuilder).extend,
	"message_delta":       (*answerBuilder).finish,
	"message_stop":        (*answerBuilder).end,
}

// AddEvent takes an event and passes its text on. The event's name counts only if its data have no
// type. A signature has no tokens, so it is not counted as received.
func (b *answerBuilder) AddEvent(e remote.ServerEvent) error {
	if e.Name == "ping" {
		return nil
	}
	if e.Name == "error" {
		return b.endpoint.ParseStreamRefusal(e.Data)
	}
	var ev event
	if err := remote.DecodeJSON(e.Data, &ev); err != nil {
		return err
	}
	switch handle := eventHandlers[cmp.Or(ev.Type, e.Name)]; {
	case ev.Type == "error":
		return b.endpoint.ParseStreamRefusal(e.Data)
	case handle != nil:
		b.progress.Received += int64(len(ev.Delta.Text) + len(ev.Delta.JSON) + len(ev.Delta.Thinking) + len(ev.Block))
		return handle(b, ev)
	case ev.Type == "":
		return remote.ErrInvalidEvent
	}
	return nil
}

func (b *answerBuilder) begin(ev event) error {
	b.model = strings.ToValidUTF8(ev.Message.Model, "")
	b.count(ev.Message.Usage)
	return b.progress.CountBytes(len(b.model))
}

func (b *answerBuilder) count(u usage) {
	for _, c := range []struct {
		from *int64
		to   *int64
	}{{u.Input, &b.input}, {u.Output, &b.output}, {u.Read, &b.read}, {u.Written, &b.written}} {
		if c.from != nil && *c.from >= 0 && *c.from < 1<<40 { // negative and huge numbers are no token counts
			*c.to = *c.from
		}
	}
	b.progress.Usage = protocol.Usage{Input: b.input + b.read + b.written, Output: b.output, CacheRead: b.read, CacheWrite: b.written}
}

// open begins a block. Some proxies send the whole block in its start event.
func (b *answerBuilder) open(ev event) error {
	var start struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		Input     json.RawMessage `json:"input"`
	}
	if err := remote.DecodeJSON(ev.Block, &start); err != nil {
		return err
	}
	if b.find(ev.Index) != nil || start.Type == "" {
		return remote.ErrInvalidEvent
	}
	n := &answerBlock{index: ev.Index, kind: start.Type, id: start.ID, name: start.Name, signature: start.Signature}
	n.start = bytes.Clone(ev.Block)
	n.text.WriteString(start.Thinking)
	if b.blocks = append(b.blocks, n); len(b.blocks) > maxBlocks {
		return remote.ErrAnswerTooLong
	}
	if err := b.progress.CountBytes(len(ev.Block)); err != nil || start.Text == "" || n.kind != "text" {
		return err
	}
	n.text.WriteString(start.Text)
	b.say(start.Text)
	return nil
}

func (b *answerBuilder) find(index int) *answerBlock {
	for i := len(b.blocks) - 1; i >= 0; i-- {
		if b.blocks[i].index == index {
			return b.blocks[i]
		}
	}
	return nil
}

// extend appends a delta to its block.
func (b *answerBuilder) extend(ev event) error {
	n := b.find(ev.Index)
	if n == nil {
		return remote.ErrInvalidEvent
	}
	piece := ""
	switch n.kind + " " + ev.Delta.Type {
	case "text text_delta":
		piece = ev.Delta.Text
	case "tool_use input_json_delta":
		piece = ev.Delta.JSON
	case "thinking thinking_delta":
		piece = ev.Delta.Thinking
	case "thinking signature_delta":
		n.signature += ev.Delta.Signature
	}
	n.text.WriteString(piece)
	if err := b.progress.CountBytes(len(piece) + len(ev.Delta.Signature)); err != nil {
		return err
	}
	if n.kind == "text" && piece != "" {
		b.say(piece)
	}
	return nil
}

func (b *answerBuilder) end(event) error {
	b.progress.Ended = b.progress.Finish != ""
	return nil
}

func (b *answerBuilder) finish(ev event) error {
	b.count(ev.Usage)
	if ev.Delta.StopReason != "" {
		b.progress.Finish = ev.Delta.StopReason
	}
	return nil
}

// lengthStops are the stop reasons of a truncated answer, with the error for an empty answer. After
// pause_turn, the model continues if the conversation is sent again.
var lengthStops = map[string]error{
	"max_tokens":                    errNoRoom,
	"model_context_window_exceeded": errFull,
	"pause_turn":                    remote.ErrEmptyAnswer,
}

// wholeStops are the stop reasons of a complete answer.
var wholeStops = map[string]bool{"end_turn": true, "stop_sequence": true, "tool_use": true}

// Answer returns the complete message, or the error that prevented it. If the stop reason is
// unknown, the message may have been truncated anywhere.
func (b *answerBuilder) Answer() (modelcall.Answer, error) {
	nothing, broken := lengthStops[b.progress.Finish]
	if !broken {
		nothing = remote.ErrEmptyAnswer
	}
	unknown := !broken && !wholeStops[b.progress.Finish]
	if b.progress.Finish == "refusal" {
		return modelcall.Answer{}, errFiltered
	}
	message := protocol.Message{Role: protocol.RoleAssistant}
	if err := b.parts(&message, broken || unknown); err != nil {
		return modelcall.Answer{}, err
	}
	answer := modelcall.Answer{Message: message, Model: b.model, Stop: modelcall.StopReasonEnd}
	switch calls := len(message.ToolCalls()); {
	case calls == 0 && blank(message.Text()):
		return modelcall.Answer{}, nothing
	case broken:
		answer.Stop = modelcall.StopReasonLength
	case calls > 0:
		answer.Stop = modelcall.StopReasonTools
	case unknown:
		answer.Stop = modelcall.StopReasonOther
	}
	return answer, nil
}

// parts adds the blocks to the message in the received order, because thinking must keep its
// position. It drops text that is only white space. In a broken answer it also drops a call that
// may be incomplete.
func (b *answerBuilder) parts(m *protocol.Message, broken bool) error {
	spoken := !blank(b.spoken())
	for i, n := range b.blocks {
		var part protocol.ContentPart
		switch n.kind {
		case "text":
			if text := n.text.String(); spoken {
				part.Text = text
			}
		case "thinking", "redacted_thinking":
			part.Thinking = &protocol.Thinking{Format: ThinkingFormat, Origin: b.origin, Block: n.thinkingJSON()}
		case "tool_use":
			if broken && i == len(b.blocks)-1 && remote.CheckArguments(n.input()) != nil {
				continue
			}
			if n.name == "" {
				return remote.ErrUnnamedCall
			}
			part.Call = n.call(i)
		}
		if part != (protocol.ContentPart{}) {
			m.Parts = append(m.Parts, part)
		}
	}
	return nil
}

func (b *answerBuilder) spoken() string {
	var text strings.Builder
	for _, n := range b.blocks {
		if n.kind == "text" {
			text.WriteString(n.text.String())
		}
	}
	return text.String()
}
