package history

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mews/protocol"
)

// Sizes of a shortened text, in bytes.
const (
	shortText = 480 // an old result: its beginning and its end
	// a text of at most this length stays, because a line in its place would be as long
	noteText  = 320
	leastText = 256 // minimum of the newest messages, even if the budget is very small
	mostText  = 32 << 10
)

// Name returns the name under which read_output reads the whole of a result, or "".
type Name func(protocol.ToolResult) string

// Fit is Select for a window that may be small. It shortens messages in four stages, and puts a
// line in place of each gap. First it cuts the middle of results, the oldest first; then it drops
// all of them. Then it cuts the middle of the newest messages, and last it drops the oldest
// exchanges. A quarter of the budget stays for new results, and half of it for the user's words.
// cut means that earlier messages were already left out.
func Fit(transcript []protocol.Message, first int64, budget int, cut bool, name Name) Window {
	short := shortenOld(transcript, budget, name)
	step := max(0, len(short)-1)
	for step > 0 && short[step].Role != protocol.RoleAssistant && short[step-1].Role != protocol.RoleUser {
		step--
	}
	said := Tokens(slices.DeleteFunc(slices.Clone(short[step:]), func(m protocol.Message) bool { return m.Role != protocol.RoleUser }))
	cutAll(short[step:], max(budget/4+min(said, budget/2), budget-Tokens(short[:step])), 2*budget, name)
	w := Select(short, first, budget)
	w.Messages = tellGaps(short, w.Messages, cut)
	cutAll(w.Messages, budget, leastText, name)
	return w
}

// cutAll shortens the longest texts of messages until they fit the budget, if possible. The user's
// texts stay four times as long as others, and keep at least words bytes.
func cutAll(messages []protocol.Message, budget, words int, name Name) {
	for size := 4 * mostText; size >= leastText && Tokens(messages) > budget; size /= 2 {
		for i, m := range messages {
			messages[i] = cutTexts(m, max(size, words), max(size/4, leastText), name)
		}
	}
}

// shortenOld shortens results, and arguments of calls, wherever the sum so far exceeds the budget.
// It goes on until a quarter of the budget is free again. It works message by message, so that a
// longer transcript keeps the beginning of the shorter one. The model's last message, and all after
// it, stay unchanged.
func shortenOld(transcript []protocol.Message, budget int, name Name) []protocol.Message {
	out := slices.Clone(transcript)
	sum, step := 0, 0
	var done [2]int // how many messages were shortened to each of the two sizes
	for i := range out {
		if out[i].Role == protocol.RoleAssistant {
			step = i
		}
		if sum += Tokens(out[i : i+1]); sum <= budget {
			continue
		}
		for level, size := range []int{shortText, 0} {
			for ; done[level] < step && sum > budget/4*3; done[level]++ {
				at := out[done[level] : done[level]+1]
				sum -= Tokens(at)
				at[0] = shortenMessage(at[0], size, name)
				sum += Tokens(at)
			}
		}
	}
	return out
}

// shortenMessage shortens the texts in a model's or tool's message to size bytes. With size 0, a
// line replaces each text, and pictures are dropped.
func shortenMessage(m protocol.Message, size int, name Name) protocol.Message {
	if m.Role == protocol.RoleUser {
		return m
	}
	m.Parts = slices.Clone(m.Parts)
	for i, p := range m.Parts {
		if p.Call != nil {
			m.Parts[i].Call = shortenCall(*p.Call, max(size, shortText))
		}
		if p.Result != nil {
			r := *p.Result
			r.Text = CutText(r.Text, size, readOn(&r, size, name))
			if size == 0 && len(r.Images) > 0 {
				r.Text, r.Images = r.Text+fmt.Sprintf("\n[Pictures that were here are left out: %d.]", len(r.Images)), nil
			}
			m.Parts[i].Result = &r
		}
	}
	return m
}

// cutTexts shortens the texts of a message, except the model's own: the user's to words bytes,
// others to size.
func cutTexts(m protocol.Message, words, size int, name Name) protocol.Message {
	if m.Role != protocol.RoleUser {
		return shortenMessage(m, size, name)
	}
	m.Parts = slices.Clone(m.Parts)
	for i, p := range m.Parts {
		m.Parts[i].Text = CutText(p.Text, words, "")
	}
	return m
}

// readOn says how to read the whole of a result that is to be cut. The result keeps the name,
// because it may be cut again.
func readOn(r *protocol.ToolResult, size int, name Name) string {
	if len(r.Text) <= size+noteText {
		return ""
	}
	output := name(*r)
	if output == "" {
		return ""
	}
	r.Rest = &protocol.BlobRef{SHA256: output}
	return fmt.Sprintf("; read_output {\"output\": %q} has all of it", output)
}

// CutText shortens a text to size bytes of its beginning and end, and a line about the rest.
func CutText(text string, size int, more string) string {
	if len(text) <= size+noteText {
		return text
	}
	end := size * 2 / 3
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	head, tail := text[:end], text[len(text)-size/3:]
	for tail != "" && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	line := fmt.Sprintf("[... %d bytes left out here to make room%s ...]", len(text)-len(head)-len(tail), more)
	return strings.Trim(head+"\n"+line+"\n"+tail, "\n")
}

// shortenCall shortens the long texts among a call's arguments. The arguments remain an object.
func shortenCall(c protocol.ToolCall, size int) *protocol.ToolCall {
	var fields map[string]any
	if len(c.Arguments) <= size+noteText || json.Unmarshal(c.Arguments, &fields) != nil {
		return &c
	}
	for key, value := range fields {
		if text, is := value.(string); is {
			fields[key] = CutText(text, size, "")
		}
	}
	if short, err := json.Marshal(fields); err == nil {
		c.Arguments = short
	}
	return &c
}

// Texts for the model in place of omitted messages.
const (
	noteEarlier = "[Earlier messages of this conversation are left out here: there is no room for them.]\n\n"
	noteSteps   = "\n\n[Steps of yours that followed, and their results, are left out here: there is no room for them.]"
)

// tellGaps adds a line about omitted messages. The line goes to the first kept message, or to the
// user's message before the gap.
func tellGaps(all, kept []protocol.Message, cut bool) []protocol.Message {
	out := slices.Clone(kept)
	at, newest := 0, -1 // at: index in all; newest: the user's last message in out
	for i, m := range out {
		if m.Role == protocol.RoleTool {
			continue // skip results: they stay in the order of their calls
		}
		gap := false
		for m.ID != 0 && at < len(all) && all[at].ID != m.ID {
			gap, at = gap || all[at].Role != protocol.RoleTool, at+1
		}
		at++
		switch {
		case i == 0 && (gap || cut) && m.Role == protocol.RoleUser:
			out[i].Parts = slices.Concat([]protocol.Part{{Text: noteEarlier}}, m.Parts)
		case gap && newest >= 0:
			out[newest].Parts = append(slices.Clone(out[newest].Parts), protocol.Part{Text: noteSteps})
		}
		if m.Role == protocol.RoleUser {
			newest = i
		}
	}
	return out
}
