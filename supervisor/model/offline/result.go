package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
)

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
