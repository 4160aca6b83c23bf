package recurrence

import (
	"testing"
	"time"
)

// An hourly rule continues over the last day of a leap year. The zone's file has a rule for future
// years; here it is used from 2038 on.
func TestNext_HourlyOverLeapYearEnd_Continues(t *testing.T) {
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
