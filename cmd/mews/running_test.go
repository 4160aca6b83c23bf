package main

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor/api"
)

// TestStoppingText_NamesUnfinishedWork checks the text for a person who leaves a chat and thereby
// stops Mews.
func TestStoppingText_NamesUnfinishedWork(t *testing.T) {
	next := time.Date(2026, 12, 24, 18, 0, 0, 0, time.Local)
	telegram := []api.ChannelStatus{{Name: "telegram"}}
	for name, c := range map[string]struct {
		status api.Status
		want   string
	}{
		"nothing": {api.Status{}, textStops + textKeepRunning},
		"jobs": {api.Status{Jobs: api.UpcomingJobs{Count: 3, Next: next}},
			"these wait: 3 reminders and tasks, the next run is on Thu 24 Dec 18:00."},
		"one job": {api.Status{Jobs: api.UpcomingJobs{Count: 1, Next: next}}, "these wait: 1 reminder or task, "},
		"messages": {api.Status{Waiting: api.UnfinishedWork{New: 1, Running: 1, Deliveries: 1}},
			"these wait: 2 messages without an answer, 1 answer to send."},
		"telegram": {api.Status{Channels: telegram}, textStops + textTelegramStops + textKeepRunning},
	} {
		got := stoppingText(c.status)
		if !strings.Contains(got, c.want) || !strings.HasPrefix(got, textStops) || !strings.HasSuffix(got,
			textKeepRunning) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
