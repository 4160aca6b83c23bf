package recurrence

import (
	"regexp"
	"strings"
	"time"

	"mews/supervisor"
)

// parseExact reads formats of machines: RFC 3339, a date with a time, cron, RRULE with or without
// DTSTART. ok is false for other texts.
func parseExact(text string, now time.Time) (r Rule, ok bool, err error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return Rule{Kind: Once, At: at.In(now.Location())}, true, nil
	}
	for _, layout := range []string{
		"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04:05",
	} {
		if wall, err := time.Parse(layout, text); err == nil {
			return Rule{Kind: Once, Wall: true}.onceAt(wall, now.Location()), true, nil
		}
	}
	switch upper := strings.ToUpper(text); {
	case strings.HasPrefix(upper, "DTSTART"):
		r, err = parseStarted(text, now)
		return r, err == nil, err
	case strings.HasPrefix(upper, "RRULE:") || strings.HasPrefix(upper, "FREQ="):
		if _, err := checkRRule(upper); err == nil {
			return Rule{Kind: RRule, At: now.Truncate(time.Minute), Expression: upper}.beginNext(now), true, nil
		}
	}
	if checkCron(text) == nil {
		return Rule{Kind: Cron, Expression: text}, true, nil
	}
	return Rule{}, false, nil
}

// startedPattern matches a start and a rule of iCalendar, on one line.
var startedPattern = regexp.MustCompile(`(?i)^DTSTART(?:;VALUE=DATE(?:-TIME)?)?(?:;TZID="?([^:;"]+)"?)?[:=]` +
	`(\d{8})(T\d{6})?(Z)?[; ](?:RRULE:)?(FREQ=\S+)$`)

// parseStarted reads a rule of iCalendar with its DTSTART. The start is due too if the rule matches
// it. A start in another zone is converted, unless that moves the rule to other days.
func parseStarted(text string, now time.Time) (r Rule, err error) {
	found := startedPattern.FindStringSubmatch(text)
	if found == nil {
		return r, unreadable(text)
	}
	option, err := checkRRule(found[5])
	if err != nil {
		return r, unreadable(text)
	}
	clock := found[3]
	if r.NoTime = clock == "" && len(option.Byhour) == 0; clock == "" {
		clock = "T090000"
	}
	wall, err := time.Parse("20060102T150405", found[2]+strings.ToUpper(clock))
	if err != nil {
		return r, unreadable(text)
	}
	zone := now.Location()
	if name := found[1]; name != "" || found[4] != "" {
		if zone, err = time.LoadLocation(name); err != nil {
			return r, unreadable(text)
		}
	}
	at := Instant(wall, zone).In(now.Location())
	times := int64(max(1, len(option.Byhour)) * max(1, len(option.Byminute)))
	if at.Before(now.AddDate(-oldestStart, 0, 0)) || times*int64(now.Sub(at).Hours()/24) > mostSinceStart {
		return r, unreadable(text)
	}
	moved := wallOf(at)
	if !moved.Equal(wall) && (!dateOf(moved).Equal(dateOf(wall)) || len(option.Byhour)+len(option.Byminute) > 0) {
		return r, supervisor.Errorf(supervisor.CodeInvalid, textOtherZone, zone, now.Location())
	}
	r.Kind, r.At, r.Start, r.Expression = RRule, at, true, strings.ToUpper(found[5])
	return r, nil
}

// oldestStart is how many years ago a rule may start. All times since then are computed.
const oldestStart = 30

// mostSinceStart is how many times a rule may have had since its start: several a day for 30 years.
const mostSinceStart = 50_000

// beginNext makes a rule of every few weeks, months or years begin on its next due day. Otherwise
// the rule would count from the week, month or year in which it was written.
func (r Rule) beginNext(now time.Time) Rule {
	option, err := checkRRule(r.Expression)
	if err != nil || option.Interval < 2 || len(option.Byweekday)+len(option.Bymonthday)+len(option.Bymonth) == 0 ||
		partOf(r.Expression, "FREQ") == "DAILY" {
		return r
	}
	each := r
	each.Expression = intervalPattern.ReplaceAllString(r.Expression, "")
	if first, found, err := each.Next(now, now.Location()); err == nil && found {
		if r.At, r.Start = first, true; r.SkippedWallTime(first) != "" {
			r.At = first.Add(-time.Minute) // a moment before the clocks skip the rule's time
		}
	}
	return r
}

var intervalPattern = regexp.MustCompile(`;INTERVAL=\d+|INTERVAL=\d+;`)
