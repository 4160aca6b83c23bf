package schedule

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/job"
	"mews/supervisor/sqlite"
)

// A heartbeat without its file fails. After too many failures it is paused.
func TestHeartbeat_WithoutFile_FailsAndPauses(t *testing.T) {
	h := newHarness(t)
	if _, err := h.routines.SwitchRoutine(t.Context(), person("alice"), chatOf("alice"), supervisor.RoutineHeartbeat,
		"on", h.now); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		h.passTime(t, 10*time.Minute)
	}
	h.wantStates(t, "failed failed failed")
	if got := h.jobState(t, 1); got != "paused" || len(h.checked) != job.MaxFailures {
		t.Errorf("after %d checks the heartbeat is %s", len(h.checked), got)
	}
}

// A heartbeat item with an interval is due at its times. An item with a count is due as often as
// the count says.
func TestHeartbeat_TimedItems_ComeAtTheirTimes(t *testing.T) {
	for item, want := range map[string]int{"- @every 2 h: drink\n": 5, "- @hourly 3 times: walk\n": 3, "- @daily at 16:00: tea\n": 1} {
		h := newHarness(t)
		h.now = time.Date(2026, 3, 23, 7, 0, 0, 0, time.UTC)
		h.found = protocol.CheckResult{File: &protocol.PromptFile{Text: []byte(item)}}
		if _, err := h.routines.SwitchRoutine(t.Context(), person("alice"), chatOf("alice"),
			supervisor.RoutineHeartbeat, "on", h.now); err != nil {
			t.Fatal(err)
		}
		n := 0
		for range 24 { // a check every half hour until 20:00 in Madrid
			for _, in := range h.passTime(t, 30*time.Minute) {
				n++
				h.endTurn(t, in, sqlite.TurnEnding{Why: protocol.TurnEndDone})
			}
		}
		if n != want {
			t.Errorf("%q is done %d times in 12 hours, want %d", item, n, want)
		}
	}
}

// A check fails if it ends without a state.
func TestEndCheck_ResultWithoutState_FailsFire(t *testing.T) {
	h := newHarness(t)
	h.putCheck(t, supervisor.CheckCondition{Command: "make"})
	h.now = h.now.Add(10 * time.Minute)
	h.fireDue(t)
	list, err := h.db.Jobs().ListFiresToBegin(t.Context(), h.now, nil, true, 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d fires are to begin: %v", len(list), err)
	}
	if _, _, err := h.db.Jobs().EndCheck(t.Context(), list[0], supervisor.CheckFireResult{}); err != nil {
		t.Error(err)
	}
	h.wantStates(t, "failed")
}
