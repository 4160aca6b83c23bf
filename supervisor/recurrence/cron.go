package recurrence

import (
	"strconv"
	"strings"
	"time"

	"github.com/adhocore/gronx"
)

// Package gronx defines the meaning of the fields of a cron expression. This file finds the next
// time field by field, because gronx would try all times, and parse the expression again for each.

// cronFields is the number of fields of an expression: minute, hour, day of the month, month, day
// of the week.
const cronFields = 5

// checkCron returns an error if an expression is invalid. Its @tags are those of gronx, without
// tags below a minute. In a list gronx stops at a value that is due now, so the parts of a list are
// checked one by one.
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

// Indexes of the fields in gronx, which has a field for seconds before them.
const (
	cronMinute = iota + 1
	cronHour
	cronDay
	cronMonth
	cronWeekday
)

// cronSteps lists the fields in the order of the search, with the step to take if a field is not
// due. After a step, the smaller fields start again at their least values.
var cronSteps = []struct {
	field int
	value func(time.Time) int
	least int
	next  func(time.Time) time.Time // returns the beginning of the next month, day, hour, or minute
}{
	{cronMonth, func(t time.Time) int { return int(t.Month()) }, 1, func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	}},
	{cronDay, time.Time.Day, 1, func(t time.Time) time.Time { return t.Truncate(24*time.Hour).AddDate(0, 0, 1) }},
	{cronHour, time.Time.Hour, 0, func(t time.Time) time.Time { return t.Truncate(time.Hour).Add(time.Hour) }},
	{cronMinute, time.Time.Minute, 0, func(t time.Time) time.Time { return t.Add(time.Minute) }},
}

// cronHorizon is how many years ahead an expression may be due next. Two Sundays on 29 February may
// be 40 years apart.
const cronHorizon = 40

// cronExpression is an expression split into fields. Only one goroutine may use it at a time.
type cronExpression struct {
	fields []string    // the expression's fields, with a field for seconds before them
	days   []string    // the same fields, with * for all except the two fields of the day
	judge  gronx.Gronx // the parser that decides whether a field is due
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

// next returns the first wall time after another wall time at which an expression is due.
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

// isDue reports whether a field is due at a time. Both fields of the day are checked at once: if
// both are set, one match is enough. A field that is a number is checked only at that value.
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

// goesByElapsedTime reports whether an expression means every hour, or every n hours. Such an
// expression counts real time.
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
	if err != nil { // the field is invalid for gronx
		err = unreadable(r.Expression)
	}
	return next, found, err
}
