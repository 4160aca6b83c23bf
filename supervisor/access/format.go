package access

import (
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/timezone"
)

// formatTime returns a future time in the user's time zone, for people. It rounds up to the minute.
func formatTime(at, now time.Time, u supervisor.User) string {
	z := timezone.ForUser(u)
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
