package modeltest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Checks of the parts that a server wants back with its own answers: signatures, reasoning and
// encrypted reasoning.

// GeminiStandInSignature is the signature that Gemini accepts for a call of another model.
const GeminiStandInSignature = "skip_thought_signature_validator"

// returnedFields are the fields of a message, and of its calls, that servers want back.
type returnedFields struct {
	Reasoning *string           `json:"reasoning_content"`
	Details   []reasoningDetail `json:"reasoning_details"`
	Extra     *extraContent     `json:"extra_content"`
}

type extraContent struct {
	Google struct {
		Signature string `json:"thought_signature"`
	} `json:"google"`
}

// reasoningDetail is an item of DialectOpenRouter's reasoning_details.
type reasoningDetail struct {
	Type   string `json:"type"` // type of the item: always reasoning.encrypted
	Data   string `json:"data"`
	ID     string `json:"id"`
	Format string `json:"format"`
	Index  int    `json:"index"`
}

// thoughts returns the returned parts of a message as texts.
func (m wireMessage) thoughts() (all []string) {
	if m.Reasoning != nil {
		all = append(all, *m.Reasoning)
	}
	for _, d := range m.Details {
		all = append(all, d.Data)
	}
	if m.Extra != nil {
		all = append(all, m.Extra.Google.Signature)
	}
	for _, c := range m.ToolCalls {
		if c.Extra != nil {
			all = append(all, c.Extra.Google.Signature)
		}
	}
	return all
}

// segments splits messages before each message of the user. index is the index of the segment's
// first message.
func segments(messages []wireMessage) func(func(index int, segment []wireMessage) bool) {
	return func(yield func(int, []wireMessage) bool) {
		begin := 0
		for i := range len(messages) + 1 {
			if i < len(messages) && messages[i].Role != "user" {
				continue
			}
			if !yield(begin, messages[begin:i]) {
				return
			}
			begin = i
		}
	}
}

func callsTools(m wireMessage) bool { return len(m.ToolCalls) > 0 }

// needsReasoning is DialectDeepSeek's check, if thinking is on. If there are calls between two
// messages of the user, all messages between these two need reasoning_content.
func needsReasoning(b chatBody, messages []wireMessage) *refusal {
	if b.Thinking != nil && b.Thinking.Type == "disabled" {
		return nil
	}
	for _, segment := range segments(messages) {
		lacks := func(m wireMessage) bool { return m.Role == "assistant" && m.Reasoning == nil }
		if slices.ContainsFunc(segment, callsTools) && slices.ContainsFunc(segment, lacks) {
			return &refusal{status: http.StatusBadRequest, code: "invalid_request_error",
				text: "The `reasoning_content` in the thinking mode must be passed back to the API."}
		}
	}
	return nil
}

// needsReasoningOfCalls is Moonshot's check. If thinking is on, all messages with calls need
// reasoning_content.
func needsReasoningOfCalls(b chatBody, messages []wireMessage) *refusal {
	at := slices.IndexFunc(messages, func(m wireMessage) bool { return callsTools(m) && m.Reasoning == nil })
	if at < 0 || b.Thinking != nil && b.Thinking.Type == "disabled" {
		return nil
	}
	return bad("thinking is enabled but reasoning_content is missing in assistant tool call message at index %d", at)
}

// needsSignatures is Gemini's check. Since the user's last message, the first call of each step
// needs a signature of that call, or the stand-in. Models before Gemini 3 need no signatures.
func needsSignatures(b chatBody, messages []wireMessage) *refusal {
	last := 0
	for at := range segments(messages) {
		last = at
	}
	for i, m := range messages {
		for j, c := range m.ToolCalls {
			name := c.Function.Name
			switch missing := c.Extra == nil || c.Extra.Google.Signature == ""; {
			case missing && j == 0 && i > last && !strings.Contains(b.Model, "gemini-2"):
				return bad("Function call is missing a thought_signature in functionCall parts. This is required for "+
					"tools to work correctly, and missing thought_signature may lead to degraded model performance. "+
					"Additional data, function call `default_api:%s` , position %d. Please refer to "+
					"https://ai.google.dev/gemini-api/docs/thought-signatures for more details.", name, i+1)
			case !missing && c.Extra.Google.Signature != GeminiStandInSignature && !isSigned(c.Extra.Google.Signature,
				name, ""):
				return bad("Thought signature is not valid.")
			}
		}
	}
	return nil
}

// needsValidDetails checks encrypted reasoning for DialectOpenRouter, as the model's provider does.
func needsValidDetails(_ chatBody, messages []wireMessage) *refusal {
	for _, m := range messages {
		for _, d := range m.Details {
			if d.Type == "reasoning.encrypted" && !isSigned(d.Data, d.ID, d.Format) {
				return bad("The encrypted content for item %s could not be verified. Reason: Encrypted content "+
					"could not be decrypted or parsed.", d.ID)
			}
		}
	}
	return nil
}

// checkReturned refuses missing parts, and returned parts that the imitated server does not accept.
func (s *Server) checkReturned(b chatBody, messages []wireMessage) *refusal {
	d := s.Dialect.traits()
	for i, m := range messages {
		if d.strict && len(m.thoughts()) > 0 && d.needs == nil {
			return &refusal{status: http.StatusBadRequest, param: "reasoning_content", text: fmt.Sprintf(
				"property 'messages.%d.reasoning_content' is unsupported", i)}
		}
	}
	if d.needs == nil {
		return nil
	}
	return d.needs(b, messages)
}

// acceptsReasoning accepts all returned parts.
func acceptsReasoning(chatBody, []wireMessage) *refusal { return nil }

// signCall returns Gemini's extra_content for a call.
func signCall(id string, call Call) any {
	return map[string]any{"google": map[string]any{"thought_signature": sign(id, call.Name, "")}}
}

// encrypted returns DialectOpenRouter's reasoning_details for thinking.
func encrypted(id string) any {
	const format = "openai-responses-v1"
	return []any{map[string]any{"type": "reasoning.encrypted", "data": sign(id, "rs_"+id, format), "id": "rs_" + id,
		"format": format, "index": 0}}
}

// geminiShape returns an error in Google's form, in a list.
func geminiShape(r *refusal, _ string) string {
	status := "INVALID_ARGUMENT"
	if r.status != http.StatusBadRequest {
		status = strings.ToUpper(strings.ReplaceAll(http.StatusText(r.status), " ", "_"))
	}
	return string(mustJSON([]any{map[string]any{"error": map[string]any{"code": r.status, "message": r.text,
		"status": status}}}))
}
