package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// routine does what /digest and the like do for alice.
func (h *harness) routine(t testing.TB, words string) string {
	t.Helper()
	d, err := h.Routine(t.Context(), person("alice"), chatOf("alice"), supervisor.RoutineDigest, words, h.now)
	if err != nil {
		t.Fatalf("/digest %s: %v", words, err)
	}
	return d.Text
}

// untilClock lets time pass until a time of the day in Madrid, on this day or the next, and gives what has begun by then.
func (h *harness) untilClock(t testing.TB, hour, minute int) []supervisor.Inbound {
	t.Helper()
	here := h.now.In(person("alice").Zone())
	at := time.Date(here.Year(), here.Month(), here.Day(), hour, minute, 0, 0, here.Location())
	if !at.After(h.now) {
		at = at.AddDate(0, 0, 1)
	}
	return h.passes(t, at.Sub(h.now))
}

// digests are what the digest has said, without its name.
func (h *harness) digests(t testing.TB) (texts []string) {
	t.Helper()
	for _, text := range h.said(t, chatOf("alice")) {
		if text, is := strings.CutPrefix(text, "**digest**\n\n"); is {
			texts = append(texts, text)
		}
	}
	return texts
}

// asks puts a question to alice that stands for so long.
func (h *harness) asks(t testing.TB, text string, stands time.Duration) {
	t.Helper()
	h.inbound++
	c := chatOf("alice")
	c.ID = h.conversation(t)
	_, _, err := h.db.Questions().Ask(t.Context(), supervisor.Question{Conversation: c, Kind: supervisor.QuestionApproval, Tool: "send_file",
		Subject: strings.Repeat("5", 64), Text: text, Stands: stands}, fmt.Sprintf("%064d", h.inbound), nil)
	if err != nil {
		t.Fatal(err)
	}
}

// conversation is alice's chat, which her first job has made.
func (h *harness) conversation(t testing.TB) (id int64) {
	t.Helper()
	list, err := h.db.Jobs().List(t.Context(), "alice")
	if err != nil || len(list) == 0 {
		t.Fatalf("%d jobs: %v", len(list), err)
	}
	return list[0].Conversation.ID
}

// ends a fire of a task's as done, with words, at a cost.
func (h *harness) endsAt(t testing.TB, in supervisor.Inbound, f sqlite.FinishTurn, cost int) {
	t.Helper()
	h.ends(t, in, f)
	sqlitetest.Change(t, h.db, fmt.Sprintf("UPDATE fire SET cost = %d WHERE inbound = %d", cost, in.ID))
}

var tellsOf = sqlite.FinishTurn{Why: protocol.WhyDone, Partial: "The roses are dry."}

// All that a digest can tell, as it is told: what is due, what jobs did and cost, which files are new, and what waits.
func TestADigest(t *testing.T) {
	h := newHarness(t)
	h.routine(t, "on")
	h.remind(t, "alice", "tomorrow at 9: call the plumber\nabout the bath")
	h.remind(t, "alice", "every 2 h: drink")
	h.remind(t, "alice", "in 19 h: the bus")
	h.remind(t, "alice", "in 50 h: after the next digest")
	h.task(t, "daily at 16:00", supervisor.JobOptions{Exact: true})
	h.task(t, "daily at 17:00", supervisor.JobOptions{Exact: true, Missed: supervisor.MissedSkip})
	h.putCheck(t, supervisor.Look{Command: "make"})
	h.putProposed(t)
	h.asks(t, "May I send `a.txt` to bob?\nIt has 3 lines.", 24*time.Hour)
	h.endsAt(t, h.untilClock(t, 16, 0)[0], stays, 120_000)
	h.untilClock(t, 18, 0)
	h.files = []supervisor.HomeFile{{Path: "old.md", Modified: noon.Add(-48 * time.Hour)}, {Path: "garden/plan`s.md", Modified: h.now},
		{Path: "MEMORY.md", Modified: h.now}, {Path: "memory/2026-03-27.md", Modified: h.now}, {Path: "logs/2026-03-27.md", Modified: h.now}}
	h.untilClock(t, 7, 30)
	const want = `**Today**
- 08:00: the bus
- 09:00: call the plumber
- 09:00, 11:00, 13:00 and later: drink
- 16:00: Look (task)
- 17:00: Look (task)

**Since Fri 27 Mar 07:30**
- Look: 1 failed; $0.12
- Look: 1 missed
- Build: 3 missed

**1 new file**
- ` + "`garden/plan's.md`" + `

**Waiting for you**
- a question: May I send ` + "`a.txt`" + ` to bob?
- Watch is to be started: /jobs`
	if got := h.digests(t); len(got) != 1 || got[0] != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got := sqlitetest.Look(t, h.db, "SELECT f.world FROM fire f JOIN job j ON j.id = f.job WHERE j.name = 'digest'"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("names of files count as the person's own: %q", got)
	}
}

// putProposed keeps a task that waits for its person's yes.
func (h *harness) putProposed(t testing.TB) {
	t.Helper()
	h.inbound++
	if _, err := h.put(t.Context(), supervisor.Job{User: "alice", Kind: supervisor.JobAgent, State: supervisor.JobProposed, Name: "Watch", Text: "watch",
		Zone: "Europe/Madrid", Conversation: chatOf("alice"), MadeBy: fmt.Sprint(h.inbound)}, "every 1 h", h.now, nil); err != nil {
		t.Fatal(err)
	}
}
