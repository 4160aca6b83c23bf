package supervisor

import "time"

// Zone is where a user's days begin: their time zone, or the machine's where they have none.
func (u User) Zone() *time.Location {
	zone, err := time.LoadLocation(u.Timezone)
	if err != nil || u.Timezone == "" {
		return time.Local
	}
	return zone
}
