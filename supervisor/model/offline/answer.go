package offline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// answer returns the model's next message. It depends only on req. All messages of the user in the
// turn are answered, one after the other.
func answer(req modelcall.Request) protocol.Message {
	asks := func(m protocol.Message) bool { return m.Role == protocol.RoleUser }
	first := -1
	for i, m := range slices.Backward(req.Messages) {
		if asks(m) && (first < 0 || req.First > 0 && m.ID >= req.First) {
			first = i
		}
	}
	if first < 0 {
		return textMessage(textNothing)
	}
	t := turn{messages: req.Messages[first:], tools: req.Tools}
	for _, m := range req.Messages {
		if m.Role == protocol.RoleAssistant {
			t.told = append(t.told, m.Text())
		}
	}
	for _, m := range t.messages {
		t.calls = append(t.calls, m.ToolCalls()...)
	}
	var said []string
	for _, m := range t.messages {
		if !asks(m) {
			continue
		}
		reply := t.answer(m)
		if len(reply.ToolCalls()) > 0 {
			return reply
		}
		said = append(said, reply.Text())
		t.told = append(t.told, reply.Text())
	}
	return textMessage(slices.Compact(said)...)
}

// turn is the part of the conversation since the start of the running turn.
type turn struct {
	messages []protocol.Message
	calls    []protocol.ToolCall // calls for earlier messages of the turn
	tools    []protocol.Tool
	told     []string // the model's earlier texts
}

// wasTold reports whether an earlier text contains a paragraph.
func (t *turn) wasTold(paragraph string) bool {
	return slices.ContainsFunc(t.told, func(text string) bool { return strings.Contains(text, paragraph) })
}

// fresh leaves out paragraphs about the model itself that an earlier text contained.
func (t *turn) fresh(paragraphs ...string) []string {
	return slices.DeleteFunc(paragraphs, func(p string) bool { return p == textConnect && t.wasTold(p) })
}

// answer answers one message.
func (t *turn) answer(m protocol.Message) protocol.Message {
	words, came := split(m)
	if slices.ContainsFunc(m.Parts, func(p protocol.ContentPart) bool { return p.Image != nil }) {
		came = append(came, attachment{line: textUnseen})
	}
	hasText := slices.ContainsFunc(came, func(a attachment) bool { return a.text != "" })
	if r, _ := find(words); len(came) > 0 && (strings.TrimSpace(words) == "" || r == nil && hasText) {
		return textMessage(t.aboutFiles(came, hasText)...)
	}
	reply := t.respond(words, m)
	if len(came) > 0 && len(reply.ToolCalls()) == 0 {
		return textMessage(append(attachmentLines(came), reply.Text())...)
	}
	return reply
}

// unknown returns the answer to a message that no rule matches. The second such answer is short,
// and each answer shows other examples.
func (t *turn) unknown() protocol.Message {
	before := 0
	for _, text := range t.told {
		if strings.Contains(text, textUnknown) || strings.Contains(text, textUnknownAgain) {
			before++
		}
	}
	if before == 0 {
		return textMessage(t.fresh(textUnknown+" "+textWhatIAm, textSayHelp, textConnect)...)
	}
	var known []string
	for _, r := range rules {
		if r.example != "" {
			known = append(known, "`"+r.example+"`")
		}
	}
	at := func(n int) string { return known[(2*before+n)%len(known)] }
	return textMessage(fmt.Sprintf(textUnknownAgain+textTry, at(0), at(1)))
}

// toolFind is the tool that opens further tools, and toolAsk the one that asks the user.
const (
	toolFind = "find_tools"
	toolAsk  = "ask_user"
)

// isFound reports whether find_tools may have to offer the rule's tool first.
func (r *rule) isFound() bool { return r.missing != "" }

func (t *turn) isOffered(name string) bool {
	return slices.ContainsFunc(t.tools, func(tool protocol.Tool) bool { return tool.Name == name })
}

func (t *turn) call(tool string, with map[string]any) protocol.Message {
	arguments, _ := json.Marshal(with) // strings and booleans can always be encoded
	call := protocol.ToolCall{ID: strconv.Itoa(len(t.messages)), Name: tool, Arguments: arguments}
	return protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Call: &call}}}
}

// examples returns a line for each example of the rules.
func examples() (lines []string) {
	for _, r := range rules {
		if r.example != "" {
			lines = append(lines, "- "+r.name+": `"+r.example+"`")
		}
	}
	return lines
}

func textMessage(paragraphs ...string) protocol.Message {
	text := strings.Join(paragraphs, "\n\n")
	return protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: text}}}
}
