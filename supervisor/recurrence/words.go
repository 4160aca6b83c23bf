package recurrence

import (
	"strings"
	"time"
)

var (
	weekdaysOf = nameIndex(7, func(i int) (time.Weekday, string) { return time.Weekday(i), time.Weekday(i).String() },
		map[string]time.Weekday{"tues": time.Tuesday, "weds": time.Wednesday, "thur": time.Thursday,
			"thurs": time.Thursday})
	monthsOf = nameIndex(12, func(i int) (time.Month, string) { return time.Month(i + 1), time.Month(i + 1).String() },
		map[string]time.Month{"sept": time.September})
	ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}
	daySets  = map[string]Weekdays{
		"day":      everyDay,
		"daily":    everyDay,
		"weekday":  workingDays,
		"weekdays": workingDays,
		"workday":  workingDays,
		"workdays": workingDays,
		"weekend":  weekendDays,
		"weekends": weekendDays,
	}
)

// nameIndex maps names in lower case to their values, both the whole names and their first three
// letters. It adds the names to others.
func nameIndex[T any](n int, of func(int) (T, string), others map[string]T) map[string]T {
	for i := range n {
		value, name := of(i)
		others[strings.ToLower(name)], others[strings.ToLower(name[:3])] = value, value
	}
	return others
}

// parseDaySet returns the days that a word means: monday, mondays, mon-fri, weekdays.
func parseDaySet(word string) (days Weekdays, ok bool) {
	if set, ok := daySets[word]; ok {
		return set, true
	}
	if from, to, two := strings.Cut(word, "-"); two {
		return daysBetween(from, to)
	}
	day, ok := weekdaysOf[word]
	if !ok && strings.HasSuffix(word, "days") { // only a whole name has a plural, because "thus" is no day
		day, ok = weekdaysOf[strings.TrimSuffix(word, "s")]
	}
	return 1 << day, ok
}

// daysBetween returns the days from one day of the week to another.
func daysBetween(from, to string) (days Weekdays, ok bool) {
	first, ok1 := weekdaysOf[from]
	last, ok2 := weekdaysOf[to]
	for day := first; ok1 && ok2; day = (day + 1) % 7 {
		if days |= 1 << day; day == last {
			return days, true
		}
	}
	return 0, false
}

// isPlural reports whether a word alone means repeated days: mondays, weekdays, mon-fri, daily.
func isPlural(word string) bool {
	_, set := daySets[word]
	_, day := weekdaysOf[strings.TrimSuffix(word, "s")]
	from, to, _ := strings.Cut(word, "-")
	_, days := daysBetween(from, to)
	return set && word != "day" && word != "weekend" || day && strings.HasSuffix(word, "days") || days
}
