package access

import (
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
)

// unreadableFactorText is what a person is told whose factor can't be looked at.
func unreadableFactorText(user string) string {
	return "Your gate is closed because your second factor can't be read, so no code can be checked. An admin can put the key " +
		"file back that it was sealed with, or take the factor away with `mews totp reset " + user + "`."
}

// recoveryAmongWordsText is what is said of a recovery code among other words.
const recoveryAmongWordsText = "Locked, and this was not taken: there is what looks like a recovery code in it. Send the code alone, in our " +
	"private chat; then send the rest again."

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

// formatDuration is a length of time for people, in hours and minutes.
func formatDuration(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		n := d / unit.size
		d %= unit.size
		switch {
		case n == 1:
			parts = append(parts, "1 "+unit.name)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", n, unit.name))
		}
	}
	if len(parts) == 0 {
		return "0 seconds"
	}
	return strings.Join(parts, " and ")
}
