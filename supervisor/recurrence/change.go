package recurrence

import (
	"fmt"
	"regexp"
	"time"

	"mews/supervisor"
)

// timesOfRule matches the times of the day in a rule of iCalendar.
var timesOfRule = regexp.MustCompile(`;BYHOUR=[\d,]+;BYMINUTE=[\d,]+`)

// WithTime adds a time of the day to a rule whose author wrote none. now is in the user's zone. The
// error is for the author.
func (r Rule) WithTime(at TimeOfDay, now time.Time) (Rule, error) {
	if !r.NoTime {
		return r, supervisor.Errorf(supervisor.CodeInvalid, textHasTime)
	}
	r.NoTime = false
	day := dateOf(wallOf(r.moment(r.At, now.Location()).In(now.Location())))
	moment := instant(day.Add(time.Duration(at)*time.Minute), now.Location())
	switch r.Kind {
	case Once:
		r.At = moment
	case Daily:
		r.Times = []TimeOfDay{at}
	case RRule:
		by, _ := byTimes([]TimeOfDay{at}) // byTimes never fails for a single time
		r.Expression = timesOfRule.ReplaceAllString(r.Expression, "") + by
		if r.Start {
			r.At = moment
		}
		r.Words += fmt.Sprintf(" at %s", at)
	}
	return r, r.checkDue(at.String(), now)
}
