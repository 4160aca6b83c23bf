package access

import (
	"cmp"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor"
)

// zone is where a person lives.
func zone(u supervisor.User) *time.Location {
	z, err := time.LoadLocation(u.Timezone)
	if err != nil || u.Timezone == "" {
		return time.Local
	}
	return z
}

// formatTime is a time to come as a person reads it where they live. It is not before what it says.
func formatTime(at, now time.Time, u supervisor.User) string {
	z := zone(u)
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
