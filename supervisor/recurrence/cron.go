package recurrence

import (
	"strconv"
	"strings"
	"time"

	"github.com/adhocore/gronx"
)

// What a field of a cron expression means gronx says. From one time to the next we go ourselves,
// field by field: gronx would go by all of them, and read each anew.

// cronFields is how many fields an expression has: minute, hour, day of the month, month, day of
// the week.
const cronFields = 5

// checkCron reads an expression. @tags are of gronx; those below a minute are not taken. Of a list
// gronx reads what comes before a value that is due now, so its parts are read alone.
func checkCron(expression string) error {
	tag := strings.HasPrefix(expression, "@")
	if !tag && len(strings.Fields(expression)) != cronFields || tag && expression == "@everysecond" ||
		!gronx.IsValid(expression) {
		return unreadable(expression)
	}
	c, err := newCron(expression)
	for field, list := range c.fields {
		for part := range strings.SplitSeq(list, ",") {
			if _, err := c.judge.C.CheckDue(part, field); err != nil {
				return unreadable(expression)
			}
		}
	}
	return err
}

// The fields of an expression as gronx counts them: it has a second before them.
const (
	cronMinute = iota + 1
	cronHour
	cronDay
	cronMonth
	cronWeekday
)

// cronSteps are the fields that are asked about a time, one after the other, and where it goes on
// when one is not due. That is at the least value of the field again where what was asked about
// before has changed.
var cronSteps = []struct {
	field int
	value func(time.Time) int
	least int
	next  func(time.Time) time.Time // the beginning of the next month, day, hour, or minute
}{
	{cronMonth, func(t time.Time) int { return int(t.Month()) }, 1, func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	}},
	{cronDay, time.Time.Day, 1, func(t time.Time) time.Time { return t.Truncate(24*time.Hour).AddDate(0, 0, 1) }},
	{cronHour, time.Time.Hour, 0, func(t time.Time) time.Time { return t.Truncate(time.Hour).Add(time.Hour) }},
	{cronMinute, time.Time.Minute, 0, func(t time.Time) time.Time { return t.Add(time.Minute) }},
}

// cronHorizon is how many years ahead an expression's next time is looked for. From one Sunday that
// is a 29 February to the next it may be 40.
const cronHorizon = 40

// cronExpression is an expression whose fields are split. It may be used by one goroutine at a
// time.
type cronExpression struct {
	fields []string    // with a second before them
	days   []string    // the same, with what is not asked of a day left open
	judge  gronx.Gronx // says what is due
}

func newCron(expression string) (cronExpression, error) {
	fields, err := gronx.Segments(expression)
	if err != nil || len(fields) != cronFields+1 {
		return cronExpression{}, unreadable(expression)
	}
	return cronExpression{
		fields,
		[]string{"*", "*", "*", fields[cronDay], "*", fields[cronWeekday]},
		gronx.Gronx{C: &gronx.SegmentChecker{}},
	}, nil
}

// next is the first wall time after another at which an expression is due.
func (c cronExpression) next(wall time.Time) (next time.Time, found bool, err error) {
	last := wall.AddDate(cronHorizon, 0, 0)
	next = wall.Truncate(time.Minute).Add(time.Minute)
	for i := 0; i < len(cronSteps); {
		step := cronSteps[i]
		due, err := c.isDue(step.field, step.value(next), next)
		switch {
		case err != nil || next.After(last):
			return time.Time{}, false, err
		case due:
			i++
			continue
		}
		if next = step.next(next); step.value(next) == step.least {
			i = 0
		}
	}
	return next, true, nil
}

// isDue says whether a field is due at a time. About the day both of its fields are asked at once:
// one is enough where both are set. A field that is a number is asked about at that value alone.
func (c cronExpression) isDue(field, value int, at time.Time) (bool, error) {
	c.judge.C.SetRef(at)
	if field == cronDay {
		return c.judge.SegmentsDue(c.days)
	}
	if n, err := strconv.Atoi(c.fields[field]); err == nil && n != value {
		return false, nil
	}
	return c.judge.C.CheckDue(c.fields[field], field)
}

// goesByElapsedTime says whether an expression means every hour, or each so many: then real time
// counts.
func (c cronExpression) goesByElapsedTime() bool { return strings.HasPrefix(c.fields[cronHour], "*") }

func (r Rule) nextCron(after time.Time, zone *time.Location) (time.Time, bool, error) {
	c, err := newCron(r.Expression)
	if err != nil {
		return time.Time{}, false, err
	}
	by := nextByWall
	if c.goesByElapsedTime() {
		by = nextInRealTime
	}
	next, found, err := by(after, zone, c.next)
	if err != nil { // of gronx
		err = unreadable(r.Expression)
	}
	return next, found, err
}
