package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor/model/remote"
)

// ThinkingFormat is the format of the parts that are kept in protocol.Thinking.
const ThinkingFormat = "openai"

// Names of parts on the wire that servers want back. Gemini signs each step with calls in
// extra_content. DeepSeek and Kimi want reasoning_content with each turn that has calls. OpenRouter
// has encrypted reasoning in reasoning_details. (Google: Thought signatures; DeepSeek: Thinking
// mode; Moonshot: Thinking models; OpenRouter: Reasoning tokens.)
const (
	extraContent     = "extra_content"
	reasoningContent = "reasoning_content"
	reasoningDetails = "reasoning_details"
)

// maxKept is the maximum size of the kept parts of a message in bytes. A message with larger parts
// loses them, and then counts as another model's.
const maxKept = 256 << 10

// keptParts is the block of a protocol.Thinking.
type keptParts struct {
	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
	ExtraContent     json.RawMessage   `json:"extra_content,omitempty"`
	Calls            []json.RawMessage `json:"calls,omitempty"` // extra_content of each call; null if it has none
}

// returnParts adds to each message of the requested model the parts that the server wants back. It
// changes the calls of other models if the server requires such parts.
func (p *Provider) returnParts(r *request) {
	for i := range r.Messages {
		m := &r.Messages[i]
		var parts keptParts
		if m.kept == nil || !remote.IsSameThinkingOrigin(m.kept.Origin, p.ThinkingOrigin(r.Model)) ||
			json.Unmarshal(m.kept.Block,
				&parts) != nil {
			continue
		}
		m.own = true
		if p.server.wantsBack(reasoningContent) {
			m.ReasoningContent = parts.ReasoningContent
		}
		if p.server.wantsBack(reasoningDetails) && len(parts.ReasoningDetails) > 0 {
			m.ReasoningDetails, _ = json.Marshal(parts.ReasoningDetails) // a list of valid JSON can always be encoded
		}
		if p.server.wantsBack(extraContent) {
			m.ExtraContent = parts.ExtraContent
			for j := range m.ToolCalls[:min(len(m.ToolCalls), len(parts.Calls))] {
				if extra := parts.Calls[j]; isSet(extra) {
					m.ToolCalls[j].ExtraContent = extra
				}
			}
		}
	}
	if r.foreign = p.server.foreign; r.foreign != nil {
		r.foreign(r)
	}
}

func (s server) wantsBack(part string) bool { return slices.Contains(s.returns, part) }

// standIn takes the place of a signature that a call lacks. Gemini then skips the check. (Google's
// page on thought signatures.)
const standIn = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`

// setStandIns adds the stand-in to the first call of each step that has no signature. Of parallel
// calls only the first has a signature. Models before Gemini 3 do not require signatures.
func setStandIns(r *request) {
	name := r.Model[strings.LastIndexByte(r.Model, '/')+1:]
	if strings.HasPrefix(name, "gemini-1") || strings.HasPrefix(name, "gemini-2") {
		return
	}
	for _, m := range r.Messages {
		signed := slices.ContainsFunc(m.ToolCalls, func(c toolCall) bool { return c.ExtraContent != nil })
		if len(m.ToolCalls) > 0 && !signed {
			m.ToolCalls[0].ExtraContent = json.RawMessage(standIn)
		}
	}
}

// foreignAsText turns the calls that another model made into text, and fills in reasoning_content.
func foreignAsText(r *request) { changeForeign(r) }

// changeForeign does the work of foreignAsText, and reports whether there were calls of another
// model.
func changeForeign(r *request) (changed bool) {
	var out []message
	foreign := map[string]toolCall{} // calls of other models, by the call's id
	for _, m := range r.Messages {
		switch call, is := foreign[m.ToolCallID]; {
		case len(m.ToolCalls) > 0 && !m.own:
			changed = true
			for _, c := range m.ToolCalls {
				foreign[c.ID] = c
			}
			if m.ToolCalls = nil; m.Content == nil {
				continue
			}
		case m.Role == "tool" && is:
			m = message{Role: "user", Content: textForeignCall + "\n" + fencedBlock("earlier_call", struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
				Result    string          `json:"result"`
			}{call.Function.Name, remote.ParseArguments(call.Function.Arguments), m.text()})}
		default:
			m.ofNoCall(foreign)
		}
		if last := len(out) - 1; last >= 0 && out[last].Role == "user" && m.Role == "user" {
			out[last].Content = joinContent(out[last], m)
			continue
		}
		out = append(out, m)
	}
	r.Messages = out
	fillReasoning(r)
	return changed
}

// ofNoCall removes from m's pictures the ids of calls that were turned into text.
func (m *message) ofNoCall(foreign map[string]toolCall) {
	parts, _ := m.Content.([]part)
	for i, p := range parts {
		if _, is := foreign[p.call]; is {
			parts[i].call = ""
		}
	}
}

func (m message) callsWithReasoning() bool { return len(m.ToolCalls) > 0 && m.ReasoningContent != nil }

// fillReasoning adds an empty reasoning_content to messages of the model that lack it. It does so
// between two messages of the user, if a call between them has the field. Without such a call it
// removes the field, because servers ignore it there.
func fillReasoning(r *request) {
	begin := 0
	for i := range len(r.Messages) + 1 {
		if i < len(r.Messages) && r.Messages[i].Role != "user" {
			continue
		}
		between := r.Messages[begin:i]
		called := slices.ContainsFunc(between, message.callsWithReasoning)
		for j := range between {
			m := &between[j]
			switch {
			case !called:
				m.ReasoningContent = nil
			case m.Role == "assistant" && m.ReasoningContent == nil:
				m.ReasoningContent = new(string)
			}
		}
		begin = i
	}
}

// inTurnWithCalls reports whether the model has called tools since the user's last message.
func inTurnWithCalls(messages []message) bool {
	for _, m := range slices.Backward(messages) {
		if m.Role == "user" || len(m.ToolCalls) > 0 {
			return m.Role != "user"
		}
	}
	return false
}

// removeReturned removes the returned parts, and reports whether there were any. The messages then
// count as those of another model.
func removeReturned(r *request) (found bool) {
	for i := range r.Messages {
		m := &r.Messages[i]
		found = found || m.own
		m.own, m.ReasoningContent, m.ReasoningDetails, m.ExtraContent = false, nil, nil, nil
		for j := range m.ToolCalls {
			m.ToolCalls[j].ExtraContent = nil
		}
	}
	if found && r.foreign != nil {
		r.foreign(r)
	}
	return found
}

// missesReturned matches refusals about returned parts. Kimi: "thinking is enabled but
// reasoning_content is missing in assistant tool call message at index 2". DeepSeek: "The
// reasoning_content in the thinking mode must be passed back to the API". Gemini: "Function call is
// missing a thought_signature in functionCall parts", "Thought signature is not valid", "Corrupted
// thought signature".
func missesReturned(f *remote.Refusal) bool {
	return f.TextContains("reasoning_content is missing", "must be passed back", "missing a thought_signature")
}

func refusesSignature(f *remote.Refusal) bool {
	return !missesReturned(f) && f.TextContains("thought signature", "thought_signature")
}

var (
	namesReturned = refusesParameter(extraContent, reasoningContent, reasoningDetails)
	namesThinking = refusesParameter("thinking", "thinking.type")
)

func refusesReturned(f *remote.Refusal) bool { return !missesReturned(f) && namesReturned(f) }
func refusesSwitch(f *remote.Refusal) bool   { return !missesReturned(f) && namesThinking(f) }

// currentReturned names the optional part for returned parts that are left out of the current
// request only.
const currentReturned = "these returned parts"

// keptPart returns a part of a message with everything that the server wants back. It is nil if
// there is nothing to keep, or too much.
func (b *answerBuilder) keptPart() *protocol.Thinking {
	if len(b.calls) == 0 && !b.inCalls {
		return nil
	}
	var kept keptParts
	found := false
	if b.server.wantsBack(reasoningContent) && (b.reasoning.Len() > 0 || b.server.foreign != nil) {
		text := b.reasoning.String()
		kept.ReasoningContent, found = &text, true
	}
	if b.server.wantsBack(reasoningDetails) && len(b.details) > 0 {
		for _, d := range b.details {
			kept.ReasoningDetails = append(kept.ReasoningDetails, d.encoded())
		}
		found = true
	}
	if b.server.wantsBack(extraContent) {
		kept.ExtraContent = b.extra
		found = found || b.extra != nil
		for _, c := range b.calls {
			kept.Calls = append(kept.Calls, c.extra)
			found = found || c.extra != nil
		}
	}
	block, err := remote.EncodeRequest(kept)
	if !found || err != nil || len(block) > maxKept {
		return nil
	}
	return &protocol.Thinking{Format: ThinkingFormat, Origin: b.origin, Block: block[:len(block)-1], Lasts: true}
}

// addReturned keeps the parts of a message's piece that the server wants back.
func (b *answerBuilder) addReturned(said delta) {
	if b.reasoning.Len() <= maxKept {
		b.reasoning.WriteString(remote.UnquoteJSON(said.Thought))
	}
	if isSet(said.Extra) {
		b.extra = said.Extra
	}
	var details []json.RawMessage
	if isSet(said.Details) && json.Unmarshal(said.Details, &details) == nil && b.detailBytes <= maxKept {
		b.detailBytes += len(said.Details)
		b.addDetails(details)
	}
}

// isSet reports whether a field is present and not null.
func isSet(field json.RawMessage) bool { return len(field) > 0 && string(field) != "null" }

// reasoningDetail is one of OpenRouter's reasoning_details. A detail that comes in pieces has the
// same type and index in each piece.
type reasoningDetail struct {
	fields map[string]json.RawMessage
	texts  map[string]*strings.Builder // texts of the fields that come in pieces
}

// detailTexts are the fields of a detail that come in pieces.
var detailTexts = []string{"text", "summary", "data"}

// addDetails adds a chunk's reasoning_details.
func (b *answerBuilder) addDetails(details []json.RawMessage) {
	for _, raw := range details {
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil {
			continue
		}
		last := len(b.details) - 1
		if last < 0 || !b.details[last].goesOn(fields) {
			b.details = append(b.details, reasoningDetail{map[string]json.RawMessage{}, map[string]*strings.Builder{}})
			last++
		}
		b.details[last].add(fields)
	}
}

// goesOn reports whether fields are another piece of d.
func (d reasoningDetail) goesOn(fields map[string]json.RawMessage) bool {
	return isSet(fields["index"]) && string(fields["index"]) == string(d.fields["index"]) &&
		string(fields["type"]) == string(d.fields["type"])
}

func (d reasoningDetail) add(fields map[string]json.RawMessage) {
	for key, value := range fields {
		if _, there := d.fields[key]; there && !isSet(value) {
			continue
		}
		d.fields[key] = value
		if slices.Contains(detailTexts, key) && isSet(value) {
			if d.texts[key] == nil {
				d.texts[key] = new(strings.Builder)
			}
			d.texts[key].WriteString(remote.UnquoteJSON(value))
		}
	}
}

// encoded returns the whole detail.
func (d reasoningDetail) encoded() json.RawMessage {
	for key, text := range d.texts {
		d.fields[key], _ = json.Marshal(text.String()) // a text can always be encoded
	}
	data, _ := json.Marshal(d.fields) // valid JSON can always be encoded
	return data
}
