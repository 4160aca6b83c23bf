package main

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// daysPattern matches a number of days.
var daysPattern = regexp.MustCompile(`^(\d{1,4})d$`)

// parseSince reads a duration before now, such as 7d, or a day. "" is the zero time.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if found := daysPattern.FindStringSubmatch(text); found != nil {
		n, _ := strconv.Atoi(found[1]) // n has at most four digits
		return now.AddDate(0, 0, -n), nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04", time.RFC3339} {
		if at, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf(textWrongSince, text)
}
