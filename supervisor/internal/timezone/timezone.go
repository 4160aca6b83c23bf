// Package timezone finds the time zones of users.
package timezone

import (
	"time"

	"mews/supervisor"
)

// ForUser returns a user's time zone, or the machine's if the user has none.
func ForUser(u supervisor.User) *time.Location {
	zone, err := time.LoadLocation(u.Timezone)
	if err != nil || u.Timezone == "" {
		return time.Local
	}
	return zone
}
