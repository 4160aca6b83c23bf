package sqlite_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

// runMemoryCall runs a new exchange: the turn calls a memory tool and answers. It delivers the
// answer.
func (m *forgetting) runMemoryCall(name, arguments, output, said string, changes ...protocol.Change) {
	m.ask(nil)
	e := m.exchanges[len(m.exchanges)-1]
	m.begin(e)
	s := step(e.turn, "", name+e.words[0])
	s.Message.Parts[0].Call.Name, s.Message.Parts[0].Call.Arguments = name, json.RawMessage(arguments)
	s.Message.Parts = append([]protocol.ContentPart{{Thinking: &protocol.Thinking{Format: "openai", Origin: "h/m",
		Lasts: true,
		Block: json.RawMessage(`{"reasoning_details":[{"data":"encrypted` + e.words[0] + `"}]}`)}}}, s.Message.Parts...)
	_, err := m.db.Turns().CommitStep(m.Context(), s)
	m.must(err)
	_, err = m.db.Turns().CommitResult(m.Context(), e.turn.ID,
		protocol.ToolResult{Call: name + e.words[0], Name: name, Text: output, Changes: changes})
	m.must(err)
	_, err = m.db.Turns().CommitStep(m.Context(), step(e.turn, said))
	m.must(err)
	e.ends = m.finish(e.turn, said)
	m.deliver(e)
}

// The present and earlier words of a fact stay only in the user's own messages. The text around
// them and all other rows are unchanged.
func TestEraseFactWords_UserMessages_AreKept(t *testing.T) {
	n := 0
	m := &forgetting{editStory: &editStory{batchStory{newStory(t)}}, user: "alice", n: &n}
	m.chat = m.story.chat("alice", "1")
	kept := func(id, text string) protocol.Change {
		return protocol.Change{Kind: "remember", Target: id, Detail: text}
	}
	m.runMemoryCall("remember", `{"text":"Takes  xyzzy oolong"}`, "Remembered as k7: Takes xyzzy oolong", "Noted: takes xyzzy oolong. Else?", kept("k7", "Takes xyzzy oolong"))
	m.runMemoryCall("update_memory", `{"id":"k7","text":"Takes plugh \"tea\""}`, "Corrected as k7: Takes plugh \"tea\"", "So.", protocol.Change{Kind: "update", Target: "k7", Detail: "Takes plugh \"tea\""})
	m.runMemoryCall("recall", `{"words":"tea"}`, "k7 Takes plugh \"tea\" (fact)\nk71 Has a cat (fact)\n", "You take: Takes plugh \"tea\"; and a cat.")
	m.runMemoryCall("remember", `{"text":"Has a cat"}`, "Remembered as k71: Has a cat", "Fine.", kept("k71", "Has a cat"))
	d := m.notice(m.chat, "I remember 1 fact of you: k7 `Takes plugh \"tea\"`")
	m.close(d, supervisor.OutcomeSent, "")
	before := m.rows()
	fact := supervisor.ForgottenFact{ID: "k7", Text: `Takes plugh "tea"`}
	counts, err := m.db.Memories().CountFactMentions(t.Context(), "alice", fact)
	if m.must(err); counts["message"] == 0 || counts["outbox"] != 4 || counts["effect"] != 2 {
		t.Errorf("counted %v", counts)
	}
	m.must(m.db.Memories().ForgetFacts(t.Context(), "alice", []supervisor.ForgottenFact{fact}))
	cut := errors.New("cut off")
	if _, err := m.db.Memories().EraseFactWords(t.Context(), "alice", func(context.Context, string,
		[]int64) error {
		return cut
	}); !errors.Is(err, cut) {
		t.Errorf("without the index: %v", err)
	}
	var messages []int64
	left, err := m.db.Memories().EraseFactWords(t.Context(), "", func(_ context.Context, user string,
		ids []int64) error {
		messages = append(messages, ids...)
		return nil
	})
	if m.must(err); left != 0 || int64(len(messages)) != counts["message"] {
		t.Errorf("blanked %v of %v, left %d", messages, counts, left)
	}
	words := func(row string) bool { return strings.Contains(row, "xyzzy") || strings.Contains(row, "plugh") }
	encrypted := func(row string) bool { return strings.Contains(row, "encrypted") }
	if n := len(slices.DeleteFunc(m.rows(), func(row string) bool { return !encrypted(row) })); n != 1 {
		t.Errorf("%d messages have encrypted thoughts, want only that of another fact", n)
	}
	rows := m.rows()
	for _, row := range before {
		if !words(row) && !encrypted(row) && !slices.Contains(rows, row) && !strings.HasPrefix(row, "system_text") {
			t.Errorf("is not as it was: %s", row)
		}
	}
	m.checkGone(words)
	list := m.transcript(m.chat)
	if said := list[len(list)-5].Text(); !strings.HasPrefix(said, "You take: ··") || !strings.HasSuffix(said, "··; and a cat.") {
		t.Errorf("said %q", said)
	}
}

// checkGone fails the test if a file of the database contains a word that should be gone.
func (m *forgetting) checkGone(words func(string) bool) {
	m.Helper()
	for _, file := range []string{m.path, m.path + "-wal"} {
		content, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) || words(string(content)) {
			m.Errorf("%s has the words still, %v: %v", file, err, slices.DeleteFunc(m.rows(), func(row string) bool { return !words(row) }))
		}
	}
}

// If a turn forgets a fact, its answer has the fact's words. The words are removed after the
// answer's delivery.
func TestEraseFactWords_UndeliveredAnswer_Waits(t *testing.T) {
	n := 0
	m := &forgetting{editStory: &editStory{batchStory{newStory(t)}}, user: "alice", n: &n}
	m.chat = m.story.chat("alice", "1")
	m.ask(nil)
	e := m.exchanges[0]
	m.begin(e)
	s := step(e.turn, "", "forget")
	s.Message.Parts[0].Call.Name, s.Message.Parts[0].Call.Arguments = "forget", json.RawMessage(`{"ids":["k7"]}`)
	_, err := m.db.Turns().CommitStep(t.Context(), s)
	m.must(err)
	m.must(m.db.Memories().ForgetFacts(t.Context(), "alice", []supervisor.ForgottenFact{{ID: "k7",
		Text: "Takes plugh"}}))
	_, err = m.db.Turns().CommitResult(t.Context(), e.turn.ID, protocol.ToolResult{Call: "forget", Name: "forget", Text: "k7 is forgotten."})
	m.must(err)
	look := func(want int) {
		t.Helper()
		left, err := m.db.Memories().EraseFactWords(t.Context(), "", func(context.Context, string,
			[]int64) error {
			return nil
		})
		if m.must(err); left != want {
			t.Errorf("%d are left, want %d", left, want)
		}
	}
	look(1)
	_, err = m.db.Turns().CommitStep(t.Context(), step(e.turn, "Forgotten: takes plugh. Not steam."))
	m.must(err)
	e.ends = m.finish(e.turn, "Forgotten: takes plugh.")
	look(1) // the answer is not delivered yet
	m.deliver(e)
	look(0)
	m.checkGone(func(row string) bool { return strings.Contains(row, "plugh") })
}
