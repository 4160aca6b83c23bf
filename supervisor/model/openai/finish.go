package openai

import (
	"cmp"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// badFinishes are the finish reasons of failures. abort is vLLM's, and the last one is DeepSeek's.
var badFinishes = map[string]error{"content_filter": errFiltered, "error": errBroken, "abort": errBroken,
	"insufficient_system_resource": errBroken}

// wholeFinishes are the finish reasons of a complete answer. Some servers use the reasons of
// another API: Anthropic's, text-generation-inference's or Cohere's.
var wholeFinishes = map[string]bool{"stop": true, "tool_calls": true, "function_call": true, "end_turn": true, "tool_use": true,
	"stop_sequence": true, "eos": true, "eos_token": true, "complete": true}

// finishMissing stands for a missing finish reason at the end of an answer. It counts as unknown.
const finishMissing = "missing"

// lengthFinishes are the finish reasons of an answer that reached its token limit.
var lengthFinishes = map[string]bool{"length": true, "max_tokens": true, "model_length": true}

// Answer returns the complete message, or the error that prevented it. If the answer reached its
// limit, an incomplete call is left out. If complete calls remain, the answer ends with them, and
// the model continues after their results. If the finish reason is unknown, the answer may have
// been cut anywhere.
func (b *answerBuilder) Answer() (modelcall.Answer, error) {
	finish := strings.ToLower(b.progress.Finish)
	if err := badFinishes[finish]; err != nil {
		return modelcall.Answer{}, err
	}
	cut := lengthFinishes[finish]
	unknown := !cut && !wholeFinishes[finish]
	b.close(cut || unknown)
	if cut || unknown {
		b.dropCut()
	}
	stop := modelcall.StopReasonEnd
	switch nothing := strings.TrimSpace(b.text.String()) == ""; {
	case len(b.calls) > 0:
		stop = modelcall.StopReasonTools
	case cut && nothing:
		return modelcall.Answer{}, errNoRoom
	case nothing:
		return modelcall.Answer{}, remote.ErrEmptyAnswer
	case cut:
		stop = modelcall.StopReasonLength
	case unknown:
		stop = modelcall.StopReasonOther
	}
	parts, err := b.parts()
	if err != nil {
		return modelcall.Answer{}, err
	}
	message := protocol.Message{Role: protocol.RoleAssistant, Parts: parts}
	return modelcall.Answer{Message: message, Model: b.model, Stop: stop}, nil
}

// close passes on the text that the filters hold back, and turns fenced blocks and written calls
// into calls.
func (b *answerBuilder) close(cut bool) {
	if b.thinkFilter != nil {
		b.thinkFilter.close()
	}
	if b.callFilter != nil {
		b.callFilter.close(cut)
		for _, body := range b.callFilter.found[:min(len(b.callFilter.found), maxCalls)] {
			b.addWhole(parseCall(body))
		}
	}
	if b.textCalls == nil {
		return
	}
	for _, c := range b.textCalls.close(!cut && len(b.calls) == 0, b.req) {
		b.addWhole(c.name, c.arguments)
	}
}

func (b *answerBuilder) addWhole(name, arguments string) {
	c := &call{index: len(b.calls), name: name}
	c.arguments.WriteString(arguments)
	b.calls = append(b.calls, c)
}

// dropCut removes calls whose arguments are no complete object. Empty arguments count as complete,
// except in the last call, which may have been cut.
func (b *answerBuilder) dropCut() {
	last := len(b.calls) - 1
	var whole []*call
	for i, c := range b.calls {
		text := strings.TrimSpace(c.arguments.String())
		if remote.CheckArguments(text) == nil || (text == "" && i < last) {
			whole = append(whole, c)
		}
	}
	b.calls = whole
}

func (b *answerBuilder) parts() ([]protocol.ContentPart, error) {
	var parts []protocol.ContentPart
	if kept := b.keptPart(); kept != nil {
		parts = append(parts, protocol.ContentPart{Thinking: kept})
	}
	if text := b.text.String(); strings.TrimSpace(text) != "" {
		parts = append(parts, protocol.ContentPart{Text: text})
	}
	for i, c := range b.calls {
		if c.name == "" {
			return nil, remote.ErrUnnamedCall
		}
		if name, renamed := b.names[c.name]; renamed {
			c.name = name
		}
		id, arguments := cmp.Or(c.id, "call_"+strconv.Itoa(i+1)), remote.ParseArguments(c.arguments.String())
		parts = append(parts, protocol.ContentPart{Call: &protocol.ToolCall{ID: id, Name: c.name,
			Arguments: arguments}})
	}
	return parts, nil
}
