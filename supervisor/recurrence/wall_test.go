package recurrence

import (
	"testing"
	"time"
)

// An hourly rule goes on over the last day of a leap year where a zone's file has a rule for the
// years to come: here from 2038 on.
func TestEveryHourOverTheEndOfALeapYear(t *testing.T) {
	zone := zoneOf(t, "Europe/Madrid")
	r := Rule{Kind: Cron, Expression: "0 * * * *"}
	first := time.Date(2040, 12, 29, 12, 0, 0, 0, time.UTC)
	for at := first; at.Before(first.AddDate(0, 0, 4)); at = at.Add(time.Hour) {
		next, found, err := r.Next(at, zone)
		if err != nil || !found || !next.Equal(at.Add(time.Hour)) {
			t.Fatalf("after %s it is due %s, %t, %v", at, next, found, err)
		}
	}
}
