package offline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
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

// attachment is a file or picture that came with a message.
type attachment struct {
	line string // the line in brackets that names it
	text string // the beginning of its text; "" means that it has none
}

// attachmentLines returns the lines that name the attachments.
func attachmentLines(came []attachment) (lines []string) {
	for _, a := range came {
		lines = append(lines, a.line)
	}
	return lines
}

// split separates the user's words, typed or spoken, from attachments.
func split(m protocol.Message) (words string, came []attachment) {
	for _, p := range m.Parts {
		name, rest, named := strings.Cut(p.Text, "] ")
		switch {
		case strings.HasPrefix(name, "[The user has "): // a line about changes that the user has undone
		// a message quoted by a reminder or task
		case strings.HasPrefix(p.Text, supervisor.JobQuotePrefix):
		case strings.HasPrefix(name, "[voice,") && named:
			words += rest
		case strings.HasPrefix(name, "[File "), strings.HasPrefix(name, "[With this came "):
			line, _, _ := strings.Cut(name, "\n")
			came = append(came, attachment{strings.TrimSuffix(line, "]") + "]", attachedText(p.Text)})
		case strings.Contains(m.Stamp, stampScheduled) && strings.Contains(p.Text, supervisor.TaskPromptSeparator):
			_, order, _ := strings.Cut(p.Text, supervisor.TaskPromptSeparator)
			order, _, _ = strings.Cut(order, supervisor.TaskPromptSeparator)
			words += order
		default:
			words += p.Text
		}
	}
	return words, came
}

// aboutFiles returns the answer to files without an order: their names, and the beginning of each
// text.
func (t *turn) aboutFiles(came []attachment, hasText bool) (said []string) {
	for _, a := range came {
		if said = append(said, a.line); a.text != "" {
			said = append(said, fmt.Sprintf(textBegins, fence(a.text)))
		}
	}
	switch {
	case hasText:
		return append(said, textOnlyShows)
	case t.wasTold(textWhatIAm):
		return append(said, textOnlyKept)
	}
	return append(said, t.fresh(textWhatIAm, textConnect)...)
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

// attachedText returns the beginning of the text in an attached file's part; "" if there is none.
// The text stands between two lines of equal signs.
func attachedText(part string) string {
	if !strings.HasPrefix(part, "[File ") {
		return ""
	}
	_, rest, _ := strings.Cut(part, "\n")
	line, body, ok := strings.Cut(rest, "\n")
	if !ok || !strings.HasPrefix(line, fenceSigns) || !strings.HasSuffix(line, fenceSigns) {
		return ""
	}
	body, _, _ = strings.Cut(body, "\n"+line)
	shown, _ := cut(body, maxBeginning)
	return shown
}

// fenceSigns begin and end the lines around an attached text.
const fenceSigns = "====="

// maxBeginning is how much of an attached text is shown, in bytes.
const maxBeginning = 1 << 10

// respond returns the answer to a text of a message.
func (t *turn) respond(text string, m protocol.Message) protocol.Message {
	r, v := find(text)
	switch {
	case r == nil:
		return t.unknown()
	case r.name == "help":
		return textMessage(t.fresh(textHelp, strings.Join(examples(), "\n"), textAlsoClock, textConnect)...)
	case r.clock:
		return textMessage(clockText(m.Stamp))
	case r.tool == "":
		return textMessage(t.fresh(slices.Clone(r.say)...)...)
	}
	offered := t.isOffered(r.tool)
	if r.isFound() && len(t.calls) > 0 && t.calls[0].Name == toolFind {
		t.calls = t.calls[1:]
	} else if r.isFound() && !offered && t.isOffered(toolFind) {
		return t.call(toolFind, map[string]any{"words": r.tool})
	}
	if len(t.calls) > 0 && (offered || t.calls[0].Name == r.tool) {
		call := t.calls[0]
		t.calls = t.calls[1:]
		result := resultOf(call.ID, t.messages)
		if words := otherWords(result); call.Name == toolAsk && words != "" {
			return t.respond(words, m)
		}
		return textMessage(r.told(v, call, result))
	}
	if !offered {
		return textMessage(cmp.Or(r.missing, fmt.Sprintf(textNoTool, r.tool)))
	}
	return t.call(r.tool, r.arguments(v))
}

// otherWords returns words that a user wrote instead of an answer; "" means none. An answer can't
// be mistaken for other words: only a text about other words begins with the user's name and a
// fixed phrase.
func otherWords(result protocol.ToolResult) string {
	who, rest, found := strings.Cut(result.Text, supervisor.NonAnswerPrefix)
	end := strings.LastIndex(rest, supervisor.NonAnswerSuffix)
	if !found || result.Failed || strings.ContainsAny(who, " \n") || end < 0 {
		return ""
	}
	return rest[:end]
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

// resultOf returns a call's result. A missing result means that the call was interrupted.
func resultOf(id string, messages []protocol.Message) protocol.ToolResult {
	for _, m := range messages {
		for _, p := range m.Parts {
			if m.Role == protocol.RoleTool && p.Result != nil && p.Result.Call == id {
				return *p.Result
			}
		}
	}
	return protocol.ToolResult{Failed: true, Text: "interrupted: no result of this call was kept"}
}

// told returns the text about a call's result, for the user.
func (r *rule) told(v values, call protocol.ToolCall, result protocol.ToolResult) string {
	switch {
	case call.Name != r.tool:
		return fmt.Sprintf(textOtherCall, call.Name, r.tool)
	case !result.Failed:
		return r.tell(v, result.Text)
	}
	text := failure(r.actionText(v), strings.TrimSpace(result.Text))
	if r.hint != "" {
		text += "\n\n" + r.hint
	}
	return text
}

// failure returns a text about a failed action. It includes the tool's own text.
func failure(action, text string) string {
	if file, picture := strings.CutSuffix(text, "; look at it with view_image"); picture {
		text = file + textPictureFile
	}
	switch {
	case strings.HasPrefix(text, "interrupted"):
		return fmt.Sprintf(textInterrupted, action)
	case text == "":
		return fmt.Sprintf(textFailedSilent, action)
	case strings.Contains(text, "\n"):
		return fmt.Sprintf(textFailedLines, action, fence(text))
	}
	return fmt.Sprintf(textFailed, action, text)
}

func textMessage(paragraphs ...string) protocol.Message {
	text := strings.Join(paragraphs, "\n\n")
	return protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: text}}}
}

// maxQuoted is the maximum size of a tool's text in an answer, in bytes.
const maxQuoted = 12 << 10

// fence returns text in a code block. The fence is longer than any fence in the text. A long text
// is cut, with a note.
func fence(text string) string {
	shown, left := cut(strings.TrimRight(text, "\n"), maxQuoted)
	bar := "```"
	for strings.Contains(shown, bar) {
		bar += "`"
	}
	quoted := bar + "\n" + shown + "\n" + bar
	if left > 0 {
		quoted += "\n" + fmt.Sprintf(textCut, amount.FormatBytes(int64(left)))
	}
	return quoted
}

// cut returns at most limit bytes of text, in whole lines if possible. It also returns the number
// of bytes left out.
func cut(text string, limit int) (string, int) {
	if len(text) <= limit {
		return text, 0
	}
	end := strings.LastIndexByte(text[:limit], '\n')
	if end <= 0 {
		for end = limit; end > 0 && !utf8.RuneStart(text[end]); end-- {
		}
	}
	return text[:end], len(text) - end
}

// code returns a short text as inline code, such as a file's name.
func code(text string) string {
	if strings.ContainsAny(text, "`\n") {
		return fmt.Sprintf("%q", text)
	}
	return "`" + text + "`"
}
