package access

import (
	"cmp"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
)

// formatTime is a time to come as a person reads it where they live. It is rounded up to the minute.
func formatTime(at, now time.Time, u supervisor.User) string {
	z := u.Zone()
	at, now = at.Add(time.Minute-1).In(z).Truncate(time.Minute), now.In(z)
	layout := "15:04"
	if at.YearDay() != now.YearDay() || at.Year() != now.Year() {
		layout = "15:04 on Monday, 2 January"
	}
	text := at.Format(layout)
	if u.Timezone != "" {
		text += " (" + u.Timezone + ")"
	}
	return text
}

// formatDuration is a length of time for people: "12 hours", "1 hour and 30 minutes".
func formatDuration(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		if n := d / unit.size; n > 0 {
			parts = append(parts, amount.Of(int64(n), unit.name, unit.name+"s"))
		}
		d %= unit.size
	}
	return cmp.Or(strings.Join(parts, " and "), "0 seconds")
}
