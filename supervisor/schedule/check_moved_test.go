package schedule

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/check"
	"mews/supervisor/sqlite/sqlitetest"
)

// checkDuring runs a check with the result found. It calls does before the result is stored.
func (h *harness) checkDuring(t testing.TB, found protocol.CheckResult, does func()) {
	t.Helper()
	h.checks[supervisor.JobCheck] = check.New(check.Options{Check: func(ctx context.Context, user string,
		p protocol.CheckParameters) (protocol.CheckResult, error) {
		if _, err := h.fakeCheck(ctx, user, p); err != nil {
			return protocol.CheckResult{}, err
		}
		if does != nil {
			does()
			does = nil
		}
		return found, nil
	}}).EvaluateCheck
}

// If the user changes a check while it runs, the check runs again. Its old text, destination and
// turn are not used.
func TestCheck_ChangedDuringRun_RunsAgain(t *testing.T) {
	for _, task := range []bool{false, true} {
		h := newHarness(t)
		club, _ := putGroups(t, h)
		h.putCheck(t, supervisor.CheckCondition{Files: "*", Task: task})
		j := h.job(t, 1)
		j.Conversation = club
		if err := h.Change(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		h.checkDuring(t, protocol.CheckResult{Met: true, Changed: true, Found: "new: plan", Seen: "s"}, func() {
			j, err := h.findByNumber(t.Context(), "alice", "1")
			j.Conversation, j.Text = chatOf("alice"), "Other words."
			if err := errors.Join(err, h.Change(t.Context(), j)); err != nil {
				t.Error(err)
			}
		})
		begun := h.passTime(t, 10*time.Minute)
		if got := h.saidTo(t, club); len(got) > 0 || len(h.checked) != 2 {
			t.Errorf("the group is told %q, and it was checked %d times", got, len(h.checked))
		}
		if !task {
			h.wantSaid(t, "**Build**\n\nOther words.\n\n```\nnew: plan\n```")
			h.wantStates(t, "said")
			continue
		}
		if len(begun) != 1 || begun[0].Destination.IsInGroup() || !strings.Contains(begun[0].Text, "Other words.") {
			t.Errorf("it begins %+v", begun)
		}
	}
}

// A check that is due again or fails while it runs keeps its settings.
func TestCheck_DueDuringRun_RunsOnce(t *testing.T) {
	h := newHarness(t)
	h.putCheck(t, supervisor.CheckCondition{Command: "x"})
	h.checkDuring(t, protocol.CheckResult{Met: true}, func() {
		sqlitetest.ExecStatements(t, h.db, "UPDATE job SET version = version + 1, next = next + 600000, "+
			"fired = fired + "+
			"1, failures = 2")
	})
	h.passTime(t, 10*time.Minute)
	h.wantSaid(t, "**Build**\n\nIt is there.")
	if got := sqlitetest.QueryColumn(t, h.db, "SELECT failures FROM job"); len(h.checked) != 1 || got[0] != "0" {
		t.Errorf("it was checked %d times, and %s failures are counted", len(h.checked), got[0])
	}
}

// A check that is deleted or paused while it runs sends no message.
func TestCheck_DeletedDuringRun_SendsNothing(t *testing.T) {
	for _, does := range []func(*harness) error{
		func(h *harness) error { _, err := h.CancelJob(t.Context(), "alice", "1"); return err },
		func(h *harness) error {
			j, err := h.findByNumber(t.Context(), "alice", "1")
			if err == nil {
				_, err = h.Pause(t.Context(), j)
			}
			return err
		},
	} {
		for _, task := range []bool{false, true} {
			h := newHarness(t)
			h.putCheck(t, supervisor.CheckCondition{Command: "x", Task: task})
			h.checkDuring(t, protocol.CheckResult{Met: true, Seen: "s"}, func() {
				if err := does(h); err != nil {
					t.Error(err)
				}
			})
			if begun := h.passTime(t, 10*time.Minute); len(begun) > 0 || len(h.checked) != 1 {
				t.Errorf("%d turns begin after %d checks", len(begun), len(h.checked))
			}
			h.wantSaid(t)
			h.wantStates(t, "skipped")
		}
	}
}

// A one-time check has no next time while it runs. It sends no message if it is deleted or paused
// then.
func TestOneTimeCheck_DeletedDuringRun_Ends(t *testing.T) {
	h := newHarness(t)
	if _, err := h.put(t.Context(), supervisor.Job{User: "alice", Kind: supervisor.JobCheck, Text: "It is there.",
		Zone: "Europe/Madrid", Conversation: chatOf("alice"),
		MadeBy: "x", Options: supervisor.JobOptions{Check: supervisor.CheckCondition{Command: "x"}}},
		"in 1 h"); err != nil {
		t.Fatal(err)
	}
	h.checkDuring(t, protocol.CheckResult{Met: true}, func() {
		if said, err := h.CancelJob(t.Context(), "alice", "1"); err != nil || !strings.Contains(said, "eleted") {
			t.Errorf("%q, %v", said, err)
		}
	})
	h.passTime(t, time.Hour)
	h.wantSaid(t)
	h.wantStates(t, "skipped")
}
