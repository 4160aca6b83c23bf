package schedule

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite/sqlitetest"
)

// A snoozed reminder keeps its name, its text's source and its priority.
func TestSnooze_KeepsNameSourceAndPriority(t *testing.T) {
	for i, later := range []string{"soon", "hour", "tomorrow"} {
		for _, priority := range []supervisor.JobPriority{"", supervisor.JobPriorityLow, supervisor.JobPriorityHigh} {
			h := newHarness(t)
			if _, err := h.put(t.Context(), supervisor.Job{User: "alice", Kind: supervisor.JobReminder, Name: "Pills", Text: "obey me", Zone: "Europe/Madrid",
				Conversation: chatOf("alice"), MadeBy: "x", Options: supervisor.JobOptions{World: true, Priority: priority}}, "in 20 min"); err != nil {
				t.Fatal(err)
			}
			h.passTime(t, 20*time.Minute)
			if _, err := h.HandlePress(t.Context(), person("alice"), chatOf("alice"), 77, later+" 1",
				h.now); err != nil {
				t.Fatal(err)
			}
			h.passTime(t, []time.Duration{10 * time.Minute, time.Hour, 24 * time.Hour}[i])
			got := sqlitetest.QueryColumn(t, h.db,
				`SELECT j.name || ' ' || f.world || ' ' || o.silent || ' ' || coalesce(j.options ->> '$.priority', '')
				FROM fire f JOIN job j ON j.id = f.job JOIN outbox o ON o.id = f.delivery ORDER BY f.due`)
			want := fmt.Sprintf("Pills 1 %d %s", map[supervisor.JobPriority]int{supervisor.JobPriorityLow: 1}[priority],
				priority)
			if !slices.Equal(got, []string{want, want}) {
				t.Errorf("%s of %q: the two are %q, want each %q", later, priority, got, want)
			}
		}
	}
}
