package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mews/protocol"
	"mews/protocol/foreign"
	"mews/protocol/foreign/foreigntest"
	"mews/supervisor/history"
)

// talk returns n turns. Each turn has a question with its own word, a call with a result of size
// bytes, and an answer. The last turn ends with the result.
func talk(n, size int) []protocol.Message {
	var out []protocol.Message
	add := func(role protocol.Role, p protocol.ContentPart) {
		out = append(out, protocol.Message{ID: int64(len(out) + 1), Role: role, Parts: []protocol.ContentPart{p}})
	}
	for i := range n {
		id := fmt.Sprint("call", i)
		add(protocol.RoleUser, protocol.ContentPart{Text: fmt.Sprintf("question %d", i)})
		add(protocol.RoleAssistant, protocol.ContentPart{Call: &protocol.ToolCall{ID: id, Name: "read_file",
			Arguments: []byte(`{"path":"a"}`)}})
		text := fmt.Sprintf("first line %d\n%s\nlast line %d", i, strings.Repeat("x", size), i)
		add(protocol.RoleTool, protocol.ContentPart{Result: &protocol.ToolResult{Call: id, Name: "read_file",
			Text: text}})
		if i < n-1 {
			add(protocol.RoleAssistant, protocol.ContentPart{Text: fmt.Sprintf("answer %d", i)})
		}
	}
	return out
}

func named(r protocol.ToolResult) string {
	if r.Rest != nil {
		return r.Rest.SHA256
	}
	return "whole-of-" + r.Call
}

// all returns the texts that a model reads in messages.
func all(messages []protocol.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Text() + "\n")
		for _, p := range m.Parts {
			if p.Result != nil {
				b.WriteString(p.Result.Text + "\n")
			}
		}
	}
	return b.String()
}

func TestShorten_OverBudget_CutsOldResultsFirst(t *testing.T) {
	transcript := talk(30, 20<<10)
	w := history.ShortenToBudget(transcript, 0, 27_000, false, named)
	text := all(w.Messages)
	if len(w.Messages) != len(transcript) || w.From != 1 || history.EstimateTokens(w.Messages) > 27_000 {
		t.Errorf("%d of %d messages from %d, %d tokens", len(w.Messages), len(transcript), w.From,
			history.EstimateTokens(w.Messages))
	}
	for _, want := range []string{"question 0", "answer 0", `read_output {"output": "whole-of-call0"} has all of it`, strings.Repeat("x", 20<<10)} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not have %.60q", want)
		}
	}
	if n := strings.Count(text, "whole-of-call29"); n != 0 {
		t.Error("the newest result was cut although there was room")
	}
	if strings.Contains(all(history.ShortenToBudget(transcript[:6], 0, 27_000, false, named).Messages), "left out") {
		t.Error("something was left out where all has room")
	}
}

func TestShorten_Result_KeepsBothEnds(t *testing.T) {
	text := all(history.ShortenToBudget(talk(6, 20<<10), 0, 27_000, false, named).Messages)
	for _, want := range []string{"first line 0\nxxx", "xxx\nlast line 0", "bytes left out here"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not have %q in %.400q", want, text)
		}
	}
}

func TestShorten_SmallWindow_KeepsFirstMessage(t *testing.T) {
	w := history.ShortenToBudget(talk(30, 20<<10), 0, 3700, false, named)
	if text := all(w.Messages); !strings.Contains(text, "question 0") || !strings.Contains(text, "first line 29") ||
		history.EstimateTokens(w.Messages) > 3700 {
		t.Errorf("%d tokens: %.300s", history.EstimateTokens(w.Messages), text)
	}
}

func TestShorten_LeftOutPart_BecomesLine(t *testing.T) {
	w := history.ShortenToBudget(talk(30, 20<<10), 0, 900, false, named)
	text := all(w.Messages)
	if !strings.HasPrefix(text, "[Earlier messages of this conversation are left out here") ||
		history.EstimateTokens(w.Messages) > 900 ||
		!strings.Contains(text, "question 29") || !strings.Contains(text, "first line 29") {
		t.Errorf("%d tokens: %s", history.EstimateTokens(w.Messages), text)
	}
	if text := all(history.ShortenToBudget(talk(1, 10), 0, 900, true, named).Messages); !strings.HasPrefix(text,
		"[Earlier messages") {
		t.Errorf("what was cut before is not told: %s", text)
	}
	long := story("u"+strings.Repeat("c", 200), 30)
	if text := all(history.ShortenToBudget(long, 1, 900, false, named).Messages); !strings.Contains(text,
		"[Steps of yours that followed") {
		t.Errorf("steps are missing and nobody is told: %s", text)
	}
}

func TestShorten_NewestMessageTooLong_IsCut(t *testing.T) {
	pasted := []protocol.Message{protocol.NewUserMessage("Begin. " + strings.Repeat("ä", 40<<10) + " The end.")}
	pasted[0].ID = 1
	text := all(history.ShortenToBudget(pasted, 1, 1000, false, named).Messages)
	if !strings.HasPrefix(text, "Begin.") || !strings.Contains(text, "The end.") || !strings.Contains(text, "bytes left out here") ||
		strings.ToValidUTF8(text, "?") != text || len(text) > 4000 {
		t.Errorf("%d bytes: %.100s", len(text), text)
	}
	written := story("u", 10)
	arguments := fmt.Sprintf(`{"path":"a.txt","text":%q}`, strings.Repeat("y", 20<<10))
	written = append(written, protocol.Message{ID: 2, Role: protocol.RoleAssistant,
		Parts: []protocol.ContentPart{{Call: &protocol.ToolCall{
			ID: "w", Name: "write_file", Arguments: []byte(arguments)}}}})
	call := history.ShortenToBudget(written, 1, 1000, false, named).Messages[1].ToolCalls()[0]
	if n := len(call.Arguments); n > 4000 || !strings.Contains(string(call.Arguments), `"path":"a.txt"`) {
		t.Errorf("%d bytes of arguments: %.100s", n, call.Arguments)
	}
}

// TestShorten_UserMessages_AreCutLast checks that results and earlier messages are cut more than
// the user's newest words.
func TestShorten_UserMessages_AreCutLast(t *testing.T) {
	transcript := slices.Concat(story("u", 2000), talk(1, 20<<10)[1:], story("u", 4000))
	for i := range transcript {
		transcript[i].ID = int64(i + 1)
	}
	w := history.ShortenToBudget(transcript, 1, 2300, false, named)
	text := all(w.Messages)
	if !strings.Contains(text, strings.Repeat("x", 4000)) || history.EstimateTokens(w.Messages) > 2300 ||
		len(text) < 4000+2000+1000 {
		t.Errorf("%d bytes, %d tokens: %s", len(text), history.EstimateTokens(w.Messages), text)
	}
}

// TestShorten_LongerHistory_KeepsPrefix checks that most steps keep the beginning of the request.
// Providers have that beginning in their cache.
func TestShorten_LongerHistory_KeepsPrefix(t *testing.T) {
	changed, before := 0, ""
	for n := 2; n <= 60; n++ {
		transcript := talk(n, 4<<10)
		messages := history.ShortenToBudget(transcript, 0, 12_000, false, named).Messages
		now := all(messages[:len(messages)-3])
		if !strings.HasPrefix(now, before) {
			changed++
		}
		before = now
	}
	if changed > 25 {
		t.Errorf("the beginning changed %d times in 60 turns", changed)
	}
}

// TestShorten_RandomHistory_IsValid shortens random transcripts. Each call must have its result.
// The budget must be kept if the model's own words allow that. If the transcript is shortened again
// from From on, the result must begin with the same message.
func TestShorten_RandomHistory_IsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		transcript := story("u"+rapid.StringMatching(`[uac]{0,40}`).Draw(t, "kinds"), rapid.IntRange(0, 4000).Draw(t, "size"))
		budget := rapid.IntRange(-100, 8000).Draw(t, "budget")
		open := map[string]bool{}
		w := history.ShortenToBudget(transcript, 0, budget, false, named)
		from := slices.IndexFunc(transcript, func(m protocol.Message) bool { return m.ID == w.From })
		if again := history.ShortenToBudget(transcript[max(from, 0):], 0, budget, true, named); again.From != w.From {
			t.Fatalf("cut at %d, then at %d", w.From, again.From)
		}
		for _, m := range w.Messages {
			if m.Role != protocol.RoleTool && len(open) > 0 {
				t.Fatalf("message %d stands between a call and its result", m.ID)
			}
			for _, c := range m.ToolCalls() {
				open[c.ID] = true
			}
			for _, p := range m.Parts {
				if p.Result != nil && !open[p.Result.Call] {
					t.Fatalf("a result without its call: %s", p.Result.Call)
				} else if p.Result != nil {
					delete(open, p.Result.Call)
				}
			}
		}
	})
}

// TestCutText_MiddleOfLine_StartsNoNewLine checks a cut within a line. The rest of the line must never
// become a line of its own.
func TestCutText_MiddleOfLine_StartsNoNewLine(t *testing.T) {
	for shift := range 60 {
		text := strings.Repeat("a", shift) + strings.Repeat("x "+foreigntest.ForgedStamp, 200)
		for _, cut := range []string{history.CutText(text, 480, ""), history.CutText(foreign.SanitizeText(text), 480,
			"")} {
			if forged := foreigntest.FindForgedLine(cut); forged != "" || len(cut) > 700 {
				t.Fatalf("%d: %q begins a line in %s", shift, forged, cut)
			}
		}
	}
	if cut := history.CutText(strings.Repeat("line\n", 1000), 481, ""); strings.Contains(cut, "… line") {
		t.Errorf("whole lines are marked as cut: %s", cut)
	}
}
