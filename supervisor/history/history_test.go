package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/protocol"
	"mews/protocol/foreign"
	"mews/supervisor"
	"mews/supervisor/history"
)

// story builds a transcript with messages of about size bytes. Each letter in kinds is a message:
// "u" is a question, "a" an answer, and "c" a call with its result.
func story(kinds string, size int) []protocol.Message {
	var out []protocol.Message
	add := func(m protocol.Message) {
		m.ID = int64(len(out) + 1)
		out = append(out, m)
	}
	text := strings.Repeat("x", size)
	for i, k := range kinds {
		switch k {
		case 'u':
			add(protocol.NewUserMessage(text))
		case 'a':
			add(protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: text}}})
		case 'c':
			id := fmt.Sprint("call", i)
			add(protocol.Message{Role: protocol.RoleAssistant,
				Parts: []protocol.ContentPart{{Call: &protocol.ToolCall{ID: id, Name: "t"}}}})
			add(protocol.Message{Role: protocol.RoleTool,
				Parts: []protocol.ContentPart{{Result: &protocol.ToolResult{Call: id, Text: text}}}})
		}
	}
	return out
}

func ids(messages []protocol.Message) []int64 {
	var out []int64
	for _, m := range messages {
		out = append(out, m.ID)
	}
	return out
}

func TestSelect_FittingHistory_IsUnchanged(t *testing.T) {
	all := story("uaucau", 100)
	w := history.SelectMessages(all, 0, 10_000)
	if !slices.Equal(ids(w.Messages), ids(all)) || w.From != 1 {
		t.Errorf("got %v from %d", ids(w.Messages), w.From)
	}
}

func TestSelect_BudgetExceeded_DropsHalfAtOnce(t *testing.T) {
	// Each turn has about 208 tokens. Ten turns exceed 2000 tokens, and then only about half of the
	// turns stay.
	w := history.SelectMessages(story(strings.Repeat("ua", 10)+"u", 400), 0, 2100)
	if w.Messages[0].Role != protocol.RoleUser {
		t.Error("a turn was cut in the middle")
	}
	if got := history.EstimateTokens(w.Messages); got > 2100/2+300 {
		t.Errorf("%d tokens are left; the step was small", got)
	}
}

func TestSelect_GrowingHistory_KeepsPrefix(t *testing.T) {
	moved := 0
	var from int64
	for n := 1; n <= 40; n++ {
		w := history.SelectMessages(story(strings.Repeat("ua", n)+"u", 400), 0, 2100)
		if w.From != from {
			moved, from = moved+1, w.From
		}
	}
	if moved > 12 {
		t.Errorf("the window's beginning moved %d times in 40 turns", moved)
	}
}

func TestSelect_LongTurn_KeepsFirstAndNewestSteps(t *testing.T) {
	all := story("uaua"+"u"+strings.Repeat("c", 30), 400)
	w := history.SelectMessages(all, 0, 1500)
	if w.Messages[0].ID != 5 {
		t.Errorf("begins with message %d, want the question, 5", w.Messages[0].ID)
	}
	if last := w.Messages[len(w.Messages)-1]; last.ID != all[len(all)-1].ID {
		t.Errorf("ends with %d", last.ID)
	}
	if got := history.EstimateTokens(w.Messages); got > 1500 {
		t.Errorf("%d tokens", got)
	}
}

func TestPairResults_AnyOrder_FollowCalls(t *testing.T) {
	call := func(id string) protocol.ContentPart {
		return protocol.ContentPart{Call: &protocol.ToolCall{ID: id, Name: "t"}}
	}
	result := func(id string) protocol.Message {
		return protocol.Message{Role: protocol.RoleTool,
			Parts: []protocol.ContentPart{{Result: &protocol.ToolResult{Call: id, Text: id}}}}
	}
	paired := history.PairResults([]protocol.Message{
		protocol.NewUserMessage("go"),
		{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{call("1"), call("2"), call("3")}},
		result("3"), result("1"), result("orphan"),
	})
	var got []string
	for _, m := range paired {
		for _, p := range m.Parts {
			if p.Result != nil {
				got = append(got, p.Result.Call+":"+p.Result.Text)
			}
		}
	}
	want := []string{"1:1", "2:no result of this call was recorded", "3:3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSelect_LongTurn_KeepsFirstAndLastMessage covers messages that join a running turn. They do
// not begin a new turn, so the turn's first and last messages stay.
func TestSelect_LongTurn_KeepsFirstAndLastMessage(t *testing.T) {
	all := story("uaua"+"u"+strings.Repeat("c", 15)+"uu"+strings.Repeat("c", 15)+"u"+"ccc", 400)
	var taken []int64
	for _, m := range all[5:] {
		if m.Role == protocol.RoleUser {
			taken = append(taken, m.ID)
		}
	}
	w := history.SelectMessages(all, 5, 1500)
	if w.Messages[0].ID != 5 || w.From != 5 {
		t.Errorf("begins with message %d, from %d, want the turn's first, 5", w.Messages[0].ID, w.From)
	}
	got := ids(w.Messages)
	if last := taken[len(taken)-1]; !slices.Contains(got, last) || !slices.IsSorted(got) {
		t.Errorf("kept are %v, among them should be %d", got, last)
	}
	if slices.Contains(got, taken[0]) {
		t.Errorf("kept are %v, among them is %d, for which there is no room", got, taken[0])
	}
	if got := history.EstimateTokens(w.Messages); got > 1500 {
		t.Errorf("%d tokens", got)
	}
	if roomy := history.SelectMessages(all, 5, 100_000); len(roomy.Messages) != len(all) {
		t.Errorf("with room for all, %d of %d are left", len(roomy.Messages), len(all))
	}
}

// TestSelect_MessagesAfterLastStep_AreKept covers the end of the transcript. A request must have
// the result of the newest step, and all messages that joined the turn after it.
func TestSelect_MessagesAfterLastStep_AreKept(t *testing.T) {
	all := story("u"+"c"+"c"+"uuu", 4<<10)
	if got, want := ids(history.SelectMessages(all, 1, 1000).Messages), []int64{1, 4, 5, 6, 7, 8}; !slices.Equal(got,
		want) {
		t.Errorf("kept are %v, want %v", got, want)
	}
	answered := append(slices.Clone(all), story("uuuuuuuuc", 4<<10)[8:]...)
	if got, want := ids(history.SelectMessages(answered, 1, 1000).Messages), []int64{1, 6, 7, 8, 9,
		10}; !slices.Equal(got, want) {
		t.Errorf("a step later kept are %v, want %v", got, want)
	}
}

func TestFreeTokens_KeptMessages_AreSubtracted(t *testing.T) {
	all := story("ua"+"u"+"cc"+"u", 400)
	stays := history.EstimateTokens(story("uuc", 400))
	if got := history.RemainingTokens(all, 3, 1000); got != 1000-stays {
		t.Errorf("%d tokens are left beside %d of 1000", got, stays)
	}
}

// TestSelect_RandomHistory_IsValid selects from random transcripts. Each call must have its result.
// The first message of the turn, the user's last message and all later messages must be kept.
// Selecting from the message From on must give the same result.
func TestSelect_RandomHistory_IsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := "u" + rapid.StringMatching(`[uac]{0,40}`).Draw(t, "kinds")
		all := story(kinds, rapid.IntRange(0, 2000).Draw(t, "size"))
		budget := rapid.IntRange(0, 5000).Draw(t, "budget")
		open, first := map[string]bool{}, int64(0)
		var asked []int64
		for _, m := range all {
			if m.Role == protocol.RoleUser {
				asked = append(asked, m.ID)
			}
		}
		wanted := map[int64]bool{asked[len(asked)-1]: true}
		if rapid.Bool().Draw(t, "taken in") {
			first = rapid.SampledFrom(asked).Draw(t, "first")
			wanted[first] = true
			for _, m := range slices.Backward(all) {
				if m.Role != protocol.RoleUser || m.ID < first {
					break
				}
				wanted[m.ID] = true
			}
		}
		w := history.SelectMessages(all, first, budget)
		for _, m := range w.Messages {
			delete(wanted, m.ID)
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
		if len(open) > 0 || len(wanted) > 0 {
			t.Fatalf("open calls %v, missing are %v", open, wanted)
		}
		from := slices.IndexFunc(all, func(m protocol.Message) bool { return m.ID == w.From })
		again := history.SelectMessages(all[from:], first, budget)
		if !slices.Equal(ids(again.Messages), ids(w.Messages)) {
			t.Fatalf("cut at %d: %v, then %v", w.From, ids(w.Messages), ids(again.Messages))
		}
	})
}

func TestEstimateTokens_ThoughtsSentAgain_Count(t *testing.T) {
	for lasts, want := range map[bool]int{true: 100, false: 0} {
		with := protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{
			{Thinking: &protocol.Thinking{Format: "openai", Lasts: lasts, Block: []byte(`"` + strings.Repeat("x", 398) +
				`"`)}}}}
		without := protocol.Message{Role: protocol.RoleAssistant}
		got := history.EstimateTokens([]protocol.Message{with}) - history.EstimateTokens([]protocol.Message{without})
		if got != want {
			t.Errorf("lasting %t: %d tokens", lasts, got)
		}
	}
}

// TestFormatStamp_AnyMessage_IsRecognised checks that package foreign recognises every stamp. So
// words of others can't imitate a stamp.
func TestFormatStamp_AnyMessage_IsRecognised(t *testing.T) {
	for month := range 12 {
		at := time.Date(2026, time.Month(month+1), 1+month*2, month, 5, 0, 0, time.UTC)
		stamp := history.FormatStamp(supervisor.SentMessageInfo{At: at, Voice: month%2 == 0, Forwarded: month%3 == 0,
			Conversation: supervisor.Conversation{Channel: supervisor.ChannelTelegram, Chat: "-1"}})
		if got := foreign.IndentStamps("a\n" + stamp); got != "a\n"+foreign.MarkIndent+stamp {
			t.Errorf("%q is no stamp: %q", stamp, got)
		}
	}
}
