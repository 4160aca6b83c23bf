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
	shortText = 480 // length of an old result after shortening: its beginning and its end stay
	// maximum length of a text that is not shortened, because the line in its place would be as
	// long
	noteText  = 320
	leastText = 256 // minimum length of the texts of the newest messages, even if the budget is very small
	mostText  = 32 << 10
)

// ResultName returns a result's name, by which the tool read_output reads the whole result. ""
// means no name.
type ResultName func(protocol.ToolResult) string

// ShortenToBudget shortens the messages of a transcript so that they fit a small budget. It works
// in four stages, and puts a line in place of each gap. First it cuts the middle of old results,
// the oldest first. Then it drops whole results. Then it cuts the middle of the newest messages.
// Last it drops the oldest exchanges. A quarter of the budget is for new results, and half of it
// for the user's words. cut means that earlier messages were already left out.
func ShortenToBudget(transcript []protocol.Message, first int64, budget int, cut bool, name ResultName) RequestWindow {
	short := shortenOld(transcript, budget, name)
	step := max(0, len(short)-1)
	for step > 0 && short[step].Role != protocol.RoleAssistant && short[step-1].Role != protocol.RoleUser {
		step--
	}
	said := EstimateTokens(slices.DeleteFunc(slices.Clone(short[step:]),
		func(m protocol.Message) bool { return m.Role != protocol.RoleUser }))
	cutAll(short[step:], max(budget/4+min(said, budget/2), budget-EstimateTokens(short[:step])), 2*budget, name)
	w := SelectMessages(short, first, budget)
	w.Messages = tellGaps(short, w.Messages, cut)
	cutAll(w.Messages, budget, leastText, name)
	return w
}

// cutAll shortens the longest texts of messages until all texts fit the budget, if possible. The
// user's texts stay four times as long as other texts, and at least words bytes long.
func cutAll(messages []protocol.Message, budget, words int, name ResultName) {
	for size := 4 * mostText; size >= leastText && EstimateTokens(messages) > budget; size /= 2 {
		for i, m := range messages {
			messages[i] = cutTexts(m, max(size, words), max(size/4, leastText), name)
		}
	}
}

// shortenOld shortens results and the arguments of calls. It adds up the messages one by one. Each
// time that the sum exceeds the budget, it shortens the oldest results and arguments until a
// quarter of the budget is free. So a longer transcript keeps the beginning of a shorter one. The
// model's last message and all later messages stay unchanged.
func shortenOld(transcript []protocol.Message, budget int, name ResultName) []protocol.Message {
	out := slices.Clone(transcript)
	sum, step := 0, 0
	var done [2]int // number of messages that were shortened so far to each of the two sizes
	for i := range out {
		if out[i].Role == protocol.RoleAssistant {
			step = i
		}
		if sum += EstimateTokens(out[i : i+1]); sum <= budget {
			continue
		}
		for level, size := range []int{shortText, 0} {
			for ; done[level] < step && sum > budget/4*3; done[level]++ {
				at := out[done[level] : done[level]+1]
				sum -= EstimateTokens(at)
				at[0] = shortenMessage(at[0], size, name)
				sum += EstimateTokens(at)
			}
		}
	}
	return out
}

// shortenMessage shortens the texts in a message of the model or of a tool to size bytes. If size
// is 0, a line replaces each text, and pictures are dropped.
func shortenMessage(m protocol.Message, size int, name ResultName) protocol.Message {
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

// cutTexts shortens texts in a message: the user's to words bytes, and results to size bytes. The
// model's own texts stay.
func cutTexts(m protocol.Message, words, size int, name ResultName) protocol.Message {
	if m.Role != protocol.RoleUser {
		return shortenMessage(m, size, name)
	}
	m.Parts = slices.Clone(m.Parts)
	for i, p := range m.Parts {
		m.Parts[i].Text = CutText(p.Text, words, "")
	}
	return m
}

// readOn returns a sentence that tells the model how to read a shortened result in full. It stores
// the name of the whole result in r, because r may be shortened again.
func readOn(r *protocol.ToolResult, size int, name ResultName) string {
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

// CutText shortens a text to size bytes: its beginning, a line about the gap, and its end. more is
// added to that line.
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
	at := len(text) - len(tail)
	line := fmt.Sprintf("[... %d bytes left out here to make room%s ...]", at-len(head), more)
	if tail != "" && text[at-1] != '\n' {
		tail = "… " + tail // the end of a line in the text must not look like a whole line
	}
	return strings.Trim(head+"\n"+line+"\n"+tail, "\n")
}

// shortenCall shortens long texts in a call's arguments. The arguments stay a JSON object.
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

// Texts for the model that replace messages.
const (
	EarlierMessagesNote = "[Earlier messages of this conversation are left out here: there is no room for them.]\n\n"
	noteSteps           = "\n\n[Steps of yours that followed, and their results, are left out here: " +
		"there is no room for them.]"
)

// tellGaps adds a line about messages that were left out. The line goes into the first kept
// message, or into the user's message before the gap.
func tellGaps(all, kept []protocol.Message, cut bool) []protocol.Message {
	out := slices.Clone(kept)
	at, newest := 0, -1 // at is an index in all; newest is the index in out of the user's last message
	for i, m := range out {
		if m.Role == protocol.RoleTool {
			continue // no line may come between a call and its results, so no line is added to a result
		}
		gap := false
		for m.ID != 0 && at < len(all) && all[at].ID != m.ID {
			gap, at = gap || all[at].Role != protocol.RoleTool, at+1
		}
		at++
		switch {
		case i == 0 && (gap || cut) && m.Role == protocol.RoleUser:
			out[i].Parts = slices.Concat([]protocol.ContentPart{{Text: EarlierMessagesNote}}, m.Parts)
		case gap && newest >= 0:
			out[newest].Parts = append(slices.Clone(out[newest].Parts), protocol.ContentPart{Text: noteSteps})
		}
		if m.Role == protocol.RoleUser {
			newest = i
		}
	}
	return out
}
