package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/job"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// putCheck stores a check of alice that is due every 10 minutes.
func (h *harness) putCheck(t testing.TB, l supervisor.CheckCondition) int64 {
	t.Helper()
	h.inbound++
	j, err := h.put(t.Context(), supervisor.Job{User: "alice", Kind: supervisor.JobCheck, Name: "Build", Text: "It is there.", Zone: "Europe/Madrid",
		Conversation: chatOf("alice"), MadeBy: fmt.Sprint(h.inbound), Options: supervisor.JobOptions{Check: l, Exact: true}}, "every 10 min")
	if err != nil {
		t.Fatal(err)
	}
	return j.ID
}

func (h *harness) wantSaid(t testing.TB, want ...string) {
	t.Helper()
	if got := h.saidTo(t, chatOf("alice")); !slices.Equal(got, want) {
		t.Errorf("alice is told %q, want %q", got, want)
	}
}

func (h *harness) jobState(t testing.TB, id int64) string {
	t.Helper()
	return strings.Join(sqlitetest.QueryColumn(t, h.db, "SELECT state FROM job WHERE id = ?", id), "")
}

// A check sends nothing before its condition holds. It receives the state that it stored last. With
// auto_remove it ends after its first notice.
func TestCheck_ConditionTrue_NotifiesOnce(t *testing.T) {
	h := newHarness(t)
	id := h.putCheck(t, supervisor.CheckCondition{Files: "out/*", AutoRemove: true})
	h.found = protocol.CheckResult{Changed: true, Seen: "nothing yet"}
	h.passTime(t, 10*time.Minute)
	h.wantStates(t, "silent")
	h.found = protocol.CheckResult{Met: true, Changed: true, Found: "new: out/a", Seen: "a"}
	h.passTime(t, 10*time.Minute)
	h.wantStates(t, "silent said")
	h.wantSaid(t, "**Build**\n\nIt is there.\n\n```\nnew: out/a\n```")
	if got := h.jobState(t, id); got != "done" {
		t.Errorf("the check is %s", got)
	}
	if len(h.checked) != 2 || h.checked[0].Seen != "" || h.checked[1].Seen != "nothing yet" {
		t.Errorf("checked with %+v", h.checked)
	}
	if again := h.passTime(t, time.Hour); len(again) > 0 || len(h.checked) != 2 {
		t.Errorf("it checks on: %d times", len(h.checked))
	}
}

// A notice of a check without a name shows the check's text only once. If the notice does not begin
// with that text, the text is its title.
func TestCheck_WithoutName_ShowsTextOnce(t *testing.T) {
	h := newHarness(t)
	text := strings.Repeat("the build is there, ", 5) + "at last"
	q := JobRequest{Action: "add", Words: "every 10 min: " + text, Check: protocol.CheckArguments{Command: "make", NotifyOnCheck: true}, Set: map[string]string{"exact": "yes"}}
	if _, err := h.Answer(t.Context(), person("alice"), q); err != nil {
		t.Fatal(err)
	}
	h.found = protocol.CheckResult{Found: "ok"}
	h.passTime(t, 10*time.Minute)
	h.found.Met = true
	h.passTime(t, 10*time.Minute)
	h.wantSaid(t, "**"+text[:39]+"…**\n\nI have checked, and the condition is not met "+
		"yet.\n```\nok\n```", text+"\n\n```\nok\n```")
}

func TestCheck_NotifyOnCheck_SendsEachResult(t *testing.T) {
	h := newHarness(t)
	h.putCheck(t, supervisor.CheckCondition{Command: "test -e x", NotifyOnCheck: true})
	h.found = protocol.CheckResult{Found: "no x", Seen: "1"}
	h.passTime(t, 10*time.Minute)
	h.passTime(t, 10*time.Minute)
	h.wantStates(t, "said said")
	still := "**Build**\n\nI have checked, and the condition is not met yet.\n```\nno x\n```"
	h.wantSaid(t, still, still)
}

// A model judges only changes. If a failure stopped the notice about a change, the change is judged
// again.
func TestCheck_Unchanged_AsksNoModel(t *testing.T) {
	h := newHarness(t)
	id := h.putCheck(t, supervisor.CheckCondition{Files: "log", Ask: "Is it broken?", AutoRemove: true})
	h.found = protocol.CheckResult{Changed: true, Found: "changed: log", Seen: "1"}
	begun := h.passTime(t, 10*time.Minute)
	if len(begun) != 1 || !strings.Contains(begun[0].Text, "Is it broken?") || !strings.Contains(begun[0].Text, "changed: log") || begun[0].Origin != supervisor.OriginWorld {
		t.Fatalf("it begins %+v", begun)
	}
	h.endTurn(t, begun[0], stays)
	h.wantStates(t, "failed")
	begun = h.passTime(t, 10*time.Minute)
	if len(begun) != 1 || h.checked[1].Seen != "" {
		t.Fatalf("after a failure %d turns begin; it has seen %q", len(begun), h.checked[1].Seen)
	}
	h.endTurn(t, begun[0], sqlite.TurnEnding{Why: protocol.TurnEndDone, Text: "CONDITION_NOT_MET: no"})
	h.found.Changed = false
	if begun = h.passTime(t, 10*time.Minute); len(begun) > 0 || h.checked[2].Seen != "1" {
		t.Errorf("of what is as it was %d turns begin; it has seen %q", len(begun), h.checked[2].Seen)
	}
	if got := h.jobState(t, id); got != "active" {
		t.Errorf("the check is %s", got)
	}
}

// After a temporary failure, the check is repeated within the same fire. The third failure in a row
// pauses the check.
func TestCheck_RepeatedFailure_IsPaused(t *testing.T) {
	h := newHarness(t)
	id := h.putCheck(t, supervisor.CheckCondition{Command: "make"})
	h.checkErr = fmt.Errorf("start a worker: %w", supervisor.ErrCheckAgain)
	h.passTime(t, 10*time.Minute)
	h.wantStates(t, "claimed")
	h.checkErr, h.found = nil, protocol.CheckResult{Met: true}
	h.passTime(t, time.Minute)
	h.wantStates(t, "said")
	h.checkErr = supervisor.Errorf(supervisor.CodeInvalid, "there is no make")
	for range job.MaxFailures {
		h.passTime(t, 10*time.Minute)
	}
	h.wantStates(t, "said failed failed failed")
	if got := h.jobState(t, id); got != "paused" {
		t.Errorf("the check is %s", got)
	}
	said := h.saidTo(t, chatOf("alice"))
	if last := said[len(said)-1]; !strings.Contains(last, "I could not check: there is no make") || !strings.Contains(last, "failure 3 in a row") {
		t.Errorf("it says %q", last)
	}
}

// After a restart, an interrupted check begins again. A running check does not begin twice.
func TestCheck_CutShort_RunsAgain(t *testing.T) {
	h := newHarness(t)
	h.putCheck(t, supervisor.CheckCondition{Command: "make"})
	h.now = h.now.Add(10 * time.Minute)
	h.fireDue(t)
	list, err := h.db.Jobs().ListFiresToBegin(t.Context(), h.now, nil, true, 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d fires are to begin: %v", len(list), err)
	}
	for _, want := range []bool{true, false} {
		if ok, err := h.db.Jobs().ReserveFire(t.Context(), list[0], h.now, h.now.Add(checkLease)); ok != want ||
			err != nil {
			t.Fatalf("it is leased: %t, %v", ok, err)
		}
	}
	h.passTime(t, time.Minute)
	h.wantStates(t, "claimed")
	h.restart()
	if err := h.recompute(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.found = protocol.CheckResult{Met: true}
	h.passTime(t, 0)
	h.wantStates(t, "said")
}
