package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// alice's assistant looks for to-dos in her notes. The small model reads the sections, alice picks
// from the list, and a second search neither asks nor calls the small model.
func TestTodos_FoundInFiles_GoOnListOnce(t *testing.T) {
	t.Parallel()
	search := calls("find_tools", `{"words":"to-dos"}`, "todo_extract", `{"globs":["notes"]}`)
	chat := scriptedModel{{words: "my notes", calls: search, answer: "I have looked."},
		{words: "once more", calls: search, answer: "I have looked again."}}
	small := modeltest.Answer{Calls: calls("report_todos", `{"todos":[{"section":1,"quote":"The bank","title":`+
		`"Call the bank","deadline":"2025-11-28"}]}`)}
	l := &aliceService{gatedService: newGatedService(t, func(r modeltest.Request) modeltest.Answer {
		if len(r.Tools) == 1 && r.Tools[0].Name == "report_todos" {
			return small
		}
		return chat.answer(r)
	}, "models: {default: test/claude-sonnet-4-5, small: test/claude-haiku-4-5, providers: {test: "+
		providerKinds["openai"]+"}}\n", aliceInMadrid)}
	l.at = storyStart
	l.open()
	l.writeHomeFile("notes/trip.md", "# Trip\n\nThe bank must be called by the 28th.\n\n- [ ] Book a hotel\n")
	l.say("alice", "look through my notes")
	l.awaitLastTold("alice", "2. Call the bank, due Fri 28 Nov (notes/trip.md, line 3)")
	todos := filepath.Join(l.UserHome("alice"), "todos.md")
	if _, err := os.Stat(todos); !os.IsNotExist(err) {
		t.Errorf("before the answer: %v", err)
	}
	l.say("alice", "all")
	l.awaitLastTold("alice", "I have looked.")
	text, err := os.ReadFile(todos)
	if err != nil || !strings.Contains(string(text), "- [ ] Book a hotel\n  <!-- id:1 ") ||
		!strings.Contains(string(text), "- [ ] Call the bank\n  due: 2025-11-28\n") {
		t.Errorf("got %v\n%s", err, text)
	}
	l.say("alice", "look once more")
	l.awaitLastTold("alice", "I have looked again.")
	requests := 0
	for _, r := range l.model.Requests() {
		if r.Model == "claude-haiku-4-5" && len(r.Tools) == 1 {
			requests++
		}
	}
	got := l.query("SELECT (SELECT count(*) FROM question) || ' ' || (SELECT count(*) FROM usage WHERE " +
		"purpose = 'todos' AND cost > 0 AND turn IS NOT NULL) || ' ' || (SELECT count(*) FROM external_call)")
	if got != "1 1 0" || requests != 1 {
		t.Errorf("questions, paid calls and kept answers: %s; %d requests to the small model", got, requests)
	}
	l.say("alice", "/undo")
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the list to be gone", func() bool {
		_, err := os.Stat(todos)
		return os.IsNotExist(err)
	})
}
