package memory_test

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/worker/memory"
)

// Only facts and notes that came from the forgotten turns are deleted. The user's own lines stay.
func TestForgetTurns_DeletesOnlyTheirFacts(t *testing.T) {
	h := newHome(t, "# Me\n- Takes tea <!-- k1 fact 1 2026-11-20 #7 -->\n- Plays <!-- k2 fact 1 2026-11-20 #8 -->\n- by hand\n")
	for _, note := range []string{"Met Ana", "Met Bo"} {
		if _, _, err := h.AddNote(t.Context(), nil, time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC), note); err != nil {
			t.Fatal(err)
		}
	}
	of := &protocol.TurnDataQuery{Turns: []int64{1}, Messages: []int64{7}, Notes: []string{"Met  Ana"},
		From: "2026-11-19", To: "2026-11-21"}
	for _, step := range []struct {
		action      protocol.MemoryAction
		facts, note int
		left        string
	}{
		{protocol.MemoryActionShow, 1, 1, "- 12:00 Met Ana\n- 12:00 Met Bo\n"}, {protocol.MemoryActionForget, 1, 1,
			"- 12:00 Met Bo\n"}, {protocol.MemoryActionForget, 0, 0, "- 12:00 Met Bo\n"},
	} {
		r, err := h.RunOperation(t.Context(), protocol.MemoryParameters{Action: step.action, Turns: of}, time.Now())
		if err != nil || len(r.Facts) != step.facts || r.Notes != step.note {
			t.Fatalf("%s: got %+v, %v", step.action, r, err)
		}
		_, text, _ := h.Files.PeekFile(memory.NotesFolder+"/2026-11-20.md", 1000)
		if string(text) != step.left {
			t.Errorf("%s: the notes are %q", step.action, text)
		}
	}
	if file, err := h.ReadMemoryFile(); err != nil ||
		file.String() != "# Me\n- Plays <!-- k2 fact 1 2026-11-20 #8 -->\n- by hand\n" {
		t.Errorf("left is %q, %v", file, err)
	}
}
