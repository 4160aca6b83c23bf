package main

import (
	"fmt"
	"strings"
	"time"
)

// Limits of the list of flaky tests: number of lines, and age of a line. A list beyond its limits
// fails every run.
const (
	maxFlaky    = 3
	maxFlakyAge = 7 // maximum age in days of a line in the list of flaky tests
)

const flakyFile = ".ci/flaky"

// flakyTest is a line of the list: a test that has failed once and then passed.
type flakyTest struct {
	folder, test, date, seen string
}

func (f flakyTest) String() string {
	return strings.Join([]string{f.folder, f.test, f.date, f.seen}, " | ")
}

// parseFlaky parses the list. Each fault in the list fails every run until somebody corrects it.
func parseFlaky(text string, today time.Time) (list []flakyTest, faults []string) {
	for _, fields := range tableRows(text) {
		if len(fields) != 4 || fields[0] == "" || fields[1] == "" || fields[3] == "" {
			faults = append(faults, fmt.Sprintf("want package | test | date | what was seen, got %q", strings.Join(fields, " | ")))
			continue
		}
		f := flakyTest{fields[0], fields[1], fields[2], fields[3]}
		list = append(list, f)
		if fault := f.fault(today); fault != "" {
			faults = append(faults, fault)
		}
	}
	if len(list) > maxFlaky {
		faults = append(faults, fmt.Sprintf("%d lines, at most %d: mend one of these tests", len(list), maxFlaky))
	}
	return list, faults
}

// fault says what is wrong with the date of a line; "" means that the date is valid. A date in the
// future is wrong, because such a line would never become too old.
func (f flakyTest) fault(today time.Time) string {
	date, err := time.Parse(time.DateOnly, f.date)
	age := int(today.Truncate(24*time.Hour).Sub(date).Hours() / 24)
	switch {
	case err != nil:
		return fmt.Sprintf("%s: want a date such as 2026-01-31, got %q", f.test, f.date)
	case age < -1: // in a time zone further east, it may be tomorrow already
		return fmt.Sprintf("%s: %s has not come yet", f.test, f.date)
	case age > maxFlakyAge:
		return fmt.Sprintf("%s: it has been flaky for %d days, at most %d: mend it", f.test, age, maxFlakyAge)
	}
	return ""
}

// tableRows returns the fields of each line of a table whose fields are separated by |. Lines that
// begin with # are comments.
func tableRows(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "|")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		rows = append(rows, fields)
	}
	return rows
}
