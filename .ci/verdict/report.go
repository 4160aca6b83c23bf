package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

const timesFile = ".ci/times"

// Limits of a run, in seconds. A longer run raises an alarm, but does not fail.
const (
	maxMore    = 45  // seconds that one new feature may add to the last kept run
	maxAll     = 660 // limit in seconds for all parts of a run together
	maxNightly = 180 // limit in seconds for the short forms of all long tests
)

// nightlyPart is the part with the long tests. It runs only tests whose folders have changed, so
// its time is not compared with the last kept run.
const nightlyPart = "nightly"

// part is a line of the report: a part of the run, the seconds that it took, and its result.
type part struct {
	name    string
	seconds int
	result  string
}

// parseParts parses lines with the name of a part, its seconds and its result. The lines of the
// last kept run have no result.
func parseParts(text string) (parts []part, err error) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 2 {
			return nil, fmt.Errorf("want part, seconds and result, got %q", line)
		}
		seconds, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		parts = append(parts, part{fields[0], seconds, strings.Join(fields[2:], " ")})
	}
	return parts, nil
}

// printReport prints each part beside the same part of the last kept run. Then it prints the
// alarms.
func printReport(out io.Writer, now, last []part) {
	kept := map[string]int{}
	for _, p := range last {
		kept[p.name] = p.seconds
	}
	fmt.Fprintf(out, "%-8s %7s %7s %7s  %s\n", "part", "time", "last", "more", "result")
	var all, before, compared, nightly int
	for _, p := range now {
		seconds, isKept := kept[p.name]
		fmt.Fprintf(out, "%-8s %6ds %s  %s\n", p.name, p.seconds, beside(p.seconds, seconds, isKept), p.result)
		all, before = all+p.seconds, before+seconds
		if p.name == nightlyPart {
			nightly = p.seconds
		} else {
			compared += p.seconds - seconds
		}
	}
	fmt.Fprintf(out, "%-8s %6ds %s\n", "all", all, beside(all, before, len(last) > 0))
	for _, alarm := range []struct {
		is   bool
		text string
	}{
		{len(last) > 0 && compared > maxMore, fmt.Sprintf("%d seconds more than the last kept run without %s, at most %d", compared, nightlyPart, maxMore)},
		{all > maxAll, fmt.Sprintf("the run took %d seconds, at most %d", all, maxAll)},
		{nightly > maxNightly, fmt.Sprintf("%s took %d seconds, at most %d", nightlyPart, nightly, maxNightly)},
	} {
		if alarm.is {
			fmt.Fprintln(out, "alarm:", alarm.text)
		}
	}
}

// beside returns the columns that compare the time of a part with the last kept time. isKept is
// false if there is no kept time.
func beside(seconds, last int, isKept bool) string {
	if !isKept {
		return fmt.Sprintf("%7s %7s", "-", "-")
	}
	return fmt.Sprintf("%6ds %+6ds", last, seconds-last)
}
