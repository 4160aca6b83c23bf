package calendar

import (
	"slices"
	"time"

	"github.com/teambition/rrule-go"
)

// matches reports whether a day is one of those that the rule names.
func (r *rule) matches(day time.Time) bool {
	if len(r.weekday) > 0 && !r.hasWeekday(day) {
		return false
	}
	if len(r.Bymonth) > 0 && !slices.Contains(r.Bymonth, int(day.Month())) {
		return false
	}
	if len(r.Bymonthday) > 0 {
		inMonth := day.Day()
		left := daysIn(day.Year(), day.Month()) - inMonth + 1
		if !slices.Contains(r.Bymonthday, inMonth) && !slices.Contains(r.Bymonthday, -left) {
			return false
		}
	}
	if len(r.Byyearday) > 0 {
		if !slices.Contains(r.Byyearday, day.YearDay()) && !slices.Contains(r.Byyearday, -daysLeft(day)) {
			return false
		}
	}
	if len(r.Byweekno) > 0 {
		week, weeks := r.weekOf(day)
		if !slices.Contains(r.Byweekno, week) && !slices.Contains(r.Byweekno, week-weeks-1) {
			return false
		}
	}
	return true
}

// hasWeekday reports whether a day is one of the rule's days of the week.
func (r *rule) hasWeekday(day time.Time) bool {
	at := weekdays[day.Weekday()].Day()
	return slices.ContainsFunc(r.weekday, func(w rrule.Weekday) bool {
		return at == w.Day() && r.hasOrdinal(day, w.N())
	})
}

// daysLeft counts the days to the end of the year, with this day.
func daysLeft(day time.Time) int {
	return time.Date(day.Year(), 12, 31, 0, 0, 0, 0, time.UTC).YearDay() - day.YearDay() + 1
}

// hasOrdinal reports whether a day is the nth of its day of the week, in the month or the year. 0
// means each. Only rules by months and years count.
func (r *rule) hasOrdinal(day time.Time, n int) bool {
	if n == 0 || r.Freq > rrule.MONTHLY {
		return true
	}
	at, left := day.Day(), daysIn(day.Year(), day.Month())-day.Day()+1
	if r.Freq == rrule.YEARLY && len(r.Bymonth) == 0 {
		at, left = day.YearDay(), daysLeft(day)
	}
	if n < 0 {
		return (left-1)/7+1 == -n
	}
	return (at-1)/7+1 == n
}

// weekOf returns the number of a day's week, and how many weeks its year has. A week belongs to the
// year in which it has at least four days.
func (r *rule) weekOf(day time.Time) (week, weeks int) {
	year := day.Year()
	first := r.firstWeek(year)
	if day.Before(first) {
		year, first = year-1, r.firstWeek(year-1)
	} else if next := r.firstWeek(year + 1); !day.Before(next) {
		year, first = year+1, next
	}
	const length = 7 * 24 * time.Hour
	return int(day.Sub(first)/length) + 1, int(r.firstWeek(year+1).Sub(first) / length)
}

// firstWeek returns the first day of the first week of a year.
func (r *rule) firstWeek(year int) time.Time {
	fourth := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC)
	back := (int(fourth.Weekday()) + 6 - r.Wkst.Day()) % 7
	return fourth.AddDate(0, 0, -back)
}
