package app

import (
	"testing"
	"time"

	"mews/supervisor/outbox"
)

// TestOldestWait_ChatInTrouble_HidesOnlyItself: a person who has blocked the bot does not hide that
// others wait.
func TestOldestWait_ChatInTrouble_HidesOnlyItself(t *testing.T) {
	early := time.Date(2026, 10, 30, 12, 0, 0, 0, time.UTC)
	late := early.Add(time.Hour)
	waiting := map[string]time.Time{"1": early, "2": late}
	blocked := []outbox.ChatTrouble{{Chat: "1"}}
	for name, c := range map[string]struct {
		sending outbox.Status
		want    time.Time
	}{
		"none":    {outbox.Status{}, early},
		"trouble": {outbox.Status{Troubles: blocked}, late},
		"frozen":  {outbox.Status{Frozen: map[string]time.Time{"1": late}}, late},
		"both":    {outbox.Status{Troubles: blocked, Frozen: map[string]time.Time{"2": late}}, time.Time{}},
		"all":     {outbox.Status{Frozen: map[string]time.Time{"": late}}, time.Time{}},
	} {
		if got := oldestWait(waiting, c.sending); !got.Equal(c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
