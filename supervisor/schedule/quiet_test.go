package schedule

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// quiet sets alice's quiet hours; "" are none.
func (h *harness) quiet(t testing.TB, hours string) {
	t.Helper()
	err := h.db.Settings().Put(t.Context(), "alice", sqlite.SettingQuiet, hours)
	if hours == "" {
		err = h.db.Settings().Delete(t.Context(), "alice", sqlite.SettingQuiet)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (h *harness) releases(t testing.TB, d time.Duration) {
	t.Helper()
	h.passes(t, d)
	if err := h.release(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// In quiet hours what begins by itself waits for their end, and comes in one message then. Reminders with a time of their own come.
func TestQuietHoursHoldBack(t *testing.T) {
	h := newHarness(t) // it is 12:00; without a person's zone the store goes by UTC
	h.quiet(t, "12:30-14:00")
	h.remind(t, "alice", "every 50 min: drink")
	h.remind(t, "alice", "in 1 h: the bus")
	h.putCheck(t, supervisor.Look{Command: "x", AutoRemove: true})
	urgent := h.putCheck(t, supervisor.Look{Command: "y", AutoRemove: true})
	sqlitetest.Change(t, h.db, fmt.Sprintf(`UPDATE job SET options = json_set(options, '$.priority', 'high'), name = 'Smoke' WHERE id = %d`, urgent))
	task := h.task(t, "in 70 min", supervisor.JobOptions{})
	for range 4 { // nothing is so yet
		h.passes(t, 10*time.Minute)
	}
	h.found = protocol.LookResult{Met: true}
	h.passes(t, 10*time.Minute)
	h.passes(t, 10*time.Minute)
	begun := h.passes(t, 10*time.Minute)
	h.ends(t, begun[0], sqlite.FinishTurn{Why: protocol.WhyDone, Partial: "CONDITION_MET: The roses are dry."})
	h.told(t, "**Smoke**\n\nIt is there.", "Reminder: the bus")
	if got := sqlitetest.Look(t, h.db, "SELECT state FROM fire WHERE job = ? AND held IS NOT NULL AND delivery IS NULL", task); !slices.Equal(got, []string{"said"}) {
		t.Errorf("the task's fire is %q", got)
	}
	h.releases(t, 30*time.Minute)
	h.releases(t, 19*time.Minute)
	if said := h.said(t, chatOf("alice")); len(said) != 2 {
		t.Errorf("a minute early alice is told %q", said)
	}
	h.releases(t, time.Minute)
	all := "Reminder: drink\n\n**Build**\n\nIt is there.\n\n**Look**\n\nThe roses are dry.\n\nReminder: drink"
	h.told(t, "**Smoke**\n\nIt is there.", "Reminder: the bus", all)
	if got := sqlitetest.Look(t, h.db, "SELECT count(*) FROM fire WHERE held IS NOT NULL"); got[0] != "0" {
		t.Errorf("%s fires are held", got[0])
	}
	h.releases(t, time.Second)
	if said := h.said(t, chatOf("alice")); len(said) != 3 {
		t.Errorf("it is said again: %q", said)
	}
}

// Without quiet hours what was held comes at once, and with others when those end.
func TestQuietHoursThatChange(t *testing.T) {
	h := newHarness(t)
	h.quiet(t, "11:00-20:00")
	h.remind(t, "alice", "every 10 min: drink")
	h.passes(t, 10*time.Minute)
	h.quiet(t, "12:05-13:00")
	h.releases(t, 0)
	h.told(t)
	h.quiet(t, "")
	h.releases(t, 0)
	h.told(t, "Reminder: drink")
}
