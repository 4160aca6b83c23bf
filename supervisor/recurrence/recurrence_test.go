package recurrence

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	_ "time/tzdata"

	"pgregory.net/rapid"
)

func zoneOf(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// clockChanges lists wall times around clock changes, with the moments that they mean.
var clockChanges = []struct{ zone, wall, want string }{
	{"Europe/Madrid", "2026-03-29 01:59", "2026-03-29T01:59:00+01:00"},
	{"Europe/Madrid", "2026-03-29 02:30", "2026-03-29T03:00:00+02:00"}, // a wall time that does not exist
	{"Europe/Madrid", "2026-03-29 03:00", "2026-03-29T03:00:00+02:00"},
	{"Europe/Madrid", "2026-10-25 02:30", "2026-10-25T02:30:00+02:00"}, // a wall time that exists twice
	{"Europe/Madrid", "2026-10-25 03:00", "2026-10-25T03:00:00+01:00"},
	{"America/New_York", "2026-03-08 02:00", "2026-03-08T03:00:00-04:00"},
	{"America/New_York", "2026-11-01 01:30", "2026-11-01T01:30:00-04:00"},
	{"America/New_York", "2026-11-01 02:00", "2026-11-01T02:00:00-05:00"},
	{"America/Santiago", "2026-09-06 00:00", "2026-09-06T01:00:00-03:00"}, // a day without midnight
	{"America/Santiago", "2026-04-04 23:30", "2026-04-04T23:30:00-03:00"},
	{"Africa/Cairo", "2026-04-24 00:30", "2026-04-24T01:00:00+03:00"},
	{"Africa/Cairo", "2026-10-29 23:30", "2026-10-29T23:30:00+03:00"},
	{"America/Havana", "2026-03-08 00:30", "2026-03-08T01:00:00-04:00"},
	{"America/Havana", "2026-11-01 00:30", "2026-11-01T00:30:00-04:00"},
	{"Australia/Lord_Howe", "2026-10-04 02:10", "2026-10-04T02:30:00+11:00"}, // the clock changes by half an hour
	{"Australia/Lord_Howe", "2026-04-05 01:45", "2026-04-05T01:45:00+11:00"},
	{"America/St_Johns", "2026-03-08 02:15", "2026-03-08T03:00:00-02:30"},
	{"America/St_Johns", "2026-11-01 01:15", "2026-11-01T01:15:00-02:30"},
	{"Africa/Casablanca", "2026-02-15 02:30", "2026-02-15T02:30:00+01:00"}, // the clock changes for Ramadan
	{"Africa/Casablanca", "2026-03-22 02:30", "2026-03-22T03:00:00+01:00"},
	{"Europe/Dublin", "2026-03-29 01:30", "2026-03-29T02:00:00+01:00"},
	{"Europe/Dublin", "2026-10-25 01:30", "2026-10-25T01:30:00+01:00"},
	{"Antarctica/Troll", "2026-03-29 01:30", "2026-03-29T03:00:00+02:00"}, // the clock changes by two hours
	{"Antarctica/Troll", "2026-10-25 02:30", "2026-10-25T02:30:00+02:00"},
	{"Pacific/Apia", "2011-12-30 12:00", "2011-12-31T00:00:00+14:00"}, // a day that the zone skipped
	{"Pacific/Apia", "2011-12-29 23:59", "2011-12-29T23:59:00-10:00"},
	{"Pacific/Apia", "2011-12-31 00:00", "2011-12-31T00:00:00+14:00"},
	{"Asia/Kathmandu", "2026-07-01 12:00", "2026-07-01T12:00:00+05:45"},
	{"America/Sao_Paulo", "2018-11-04 00:00", "2018-11-04T01:00:00-02:00"},
	{"Asia/Pyongyang", "2018-05-04 23:45", "2018-05-05T00:00:00+09:00"},
	{"UTC", "2026-06-30 23:59", "2026-06-30T23:59:00Z"},
}

func TestInstant_WallTimeAtClockChange_IsFound(t *testing.T) {
	for _, c := range clockChanges {
		wall, err := time.Parse("2006-01-02 15:04", c.wall)
		if err != nil {
			t.Fatal(err)
		}
		if got := Instant(wall, zoneOf(t, c.zone)).Format(time.RFC3339); got != c.want {
			t.Errorf("%s in %s is %s, want %s", c.wall, c.zone, got, c.want)
		}
	}
}

// drawnRule is a drawn rule, with a slow and independent function that says whether a wall time
// matches the rule.
type drawnRule struct {
	Rule
	matches func(wall time.Time) bool
}

// goesByElapsedTime reports whether a cron expression means every hour, or every n hours.
func (r drawnRule) goesByElapsedTime() bool {
	return strings.HasPrefix(strings.Fields(r.Expression)[1], "*")
}

// drawRule draws a wall-time rule of any kind. The rule's match function uses no library.
func drawRule(t *rapid.T, zone *time.Location, from time.Time) drawnRule {
	minute, hour := rapid.IntRange(0, 59).Draw(t, "minute"), rapid.IntRange(0, 4).Draw(t, "hour")
	day, month := rapid.IntRange(1, 31).Draw(t, "day"), rapid.IntRange(1, 12).Draw(t, "month")
	weekday, step := rapid.IntRange(0, 6).Draw(t, "weekday"), rapid.IntRange(1, 12).Draw(t, "step")
	at := func(w time.Time) bool { return w.Minute() == minute && w.Hour() == hour }
	cron := func(expression string, matches func(time.Time) bool) drawnRule {
		return drawnRule{Rule{Kind: Cron, Expression: expression}, matches}
	}
	rule := func(expression string, matches func(time.Time) bool) drawnRule {
		expression += fmt.Sprintf(";BYHOUR=%d;BYMINUTE=%d", hour, minute)
		return drawnRule{
			Rule{Kind: RRule, At: from.In(zone), Expression: expression},
			func(w time.Time) bool { return at(w) && matches(w) },
		}
	}
	last := func(w time.Time) bool { return w.AddDate(0, 0, 1).Month() != w.Month() }
	nth := func(w time.Time) int { return (w.Day()-1)/7 + 1 }
	name := strings.ToUpper(time.Weekday(weekday).String()[:2])
	days := Weekdays(rapid.IntRange(0, 127).Draw(t, "days"))
	return rapid.SampledFrom([]drawnRule{
		{Rule{Kind: Daily, Times: []TimeOfDay{TimeOfDay(hour*60 + minute), 1200}, Days: days}, func(w time.Time) bool {
			return (at(w) || w.Hour() == 20 && w.Minute() == 0) &&
				(days == 0 || strings.Contains(fmt.Sprintf("%07b",
					bits.Reverse8(uint8(days))>>1)[int(w.Weekday()):int(w.Weekday())+1], "1"))
		}},
		cron(fmt.Sprintf("%d %d * * *", minute, hour), at),
		cron(
			fmt.Sprintf("%d %d * * %d", minute, hour, weekday),
			func(w time.Time) bool { return at(w) && int(w.Weekday()) == weekday },
		),
		cron(fmt.Sprintf("%d %d %d * *", minute, hour, day), func(w time.Time) bool { return at(w) && w.Day() == day }),
		cron(fmt.Sprintf("%d %d %d * %d", minute, hour, day, weekday), func(w time.Time) bool {
			return at(w) && (w.Day() == day || int(w.Weekday()) == weekday)
		}),
		cron(fmt.Sprintf("%d %d L * *", minute, hour), func(w time.Time) bool { return at(w) && last(w) }),
		cron(
			fmt.Sprintf("%d %d * * %d#2", minute, hour, weekday),
			func(w time.Time) bool { return at(w) && int(w.Weekday()) == weekday && nth(w) == 2 },
		),
		cron(
			fmt.Sprintf("%d %d 28 %d *", minute, hour, month),
			func(w time.Time) bool { return at(w) && w.Day() == 28 && int(w.Month()) == month },
		),
		cron(fmt.Sprintf("%d * * * *", minute), func(w time.Time) bool { return w.Minute() == minute }),
		cron(
			fmt.Sprintf("*/%d */%d * * *", step*5, step),
			func(w time.Time) bool { return w.Minute()%(step*5) == 0 && w.Hour()%step == 0 },
		),
		cron(fmt.Sprintf("%d-%d/10 %d-5 * * *", minute%30, minute%30+25, hour), func(w time.Time) bool {
			m := w.Minute() - minute%30
			return m >= 0 && m <= 25 && m%10 == 0 && w.Hour() >= hour && w.Hour() <= 5
		}),
		rule("FREQ=DAILY", func(time.Time) bool { return true }),
		rule("FREQ=WEEKLY;BYDAY="+name, func(w time.Time) bool { return int(w.Weekday()) == weekday }),
		rule("FREQ=MONTHLY;BYDAY=1"+name, func(w time.Time) bool { return int(w.Weekday()) == weekday && nth(w) == 1 }),
		rule("FREQ=MONTHLY;BYMONTHDAY=-1", last),
		rule(
			fmt.Sprintf("FREQ=YEARLY;BYMONTH=%d;BYMONTHDAY=28", month),
			func(w time.Time) bool { return w.Day() == 28 && int(w.Month()) == month },
		),
	}).Draw(t, "rule")
}

// walk finds the due moments of a span by trying every minute.
func (r drawnRule) walk(from, to time.Time, zone *time.Location) (due []time.Time) {
	if r.Kind == Cron && r.goesByElapsedTime() {
		for at := from.Add(time.Minute); !at.After(to); at = at.Add(time.Minute) {
			if r.matches(wallOf(at.In(zone))) {
				due = append(due, at)
			}
		}
		return due
	}
	first := wallOf(from.In(zone)).Add(-3 * time.Hour)
	for wall := first; !wall.After(wallOf(to.In(zone))); wall = wall.Add(time.Minute) {
		if !r.matches(wall) {
			continue
		}
		if at := Instant(wall, zone); at.After(from) && !at.After(to) {
			due = append(due, at)
		}
	}
	return slices.CompactFunc(due, time.Time.Equal)
}

// A rule is due exactly at the moments that a walk through every minute of a year finds.
func TestNext_AnyRule_MatchesSearchByMinute(t *testing.T) {
	zones := []string{
		"Europe/Madrid", "America/New_York", "America/Santiago", "Africa/Cairo",
		"America/Havana", "Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca",
		"Europe/Dublin", "Antarctica/Troll", "UTC",
	}
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).
			Add(time.Duration(rapid.IntRange(0, 2*365*24*60).Draw(t, "from")) * time.Minute)
		to := from.AddDate(1, 0, 0)
		r := drawRule(t, zone, from)
		want := r.walk(from, to, zone)
		at := from
		for i := 0; ; i++ {
			next, found, err := r.Next(at, zone)
			if err != nil {
				t.Fatal(err)
			}
			if !found || next.After(to) {
				if i != len(want) {
					t.Fatalf("%+v is due %d times, want %d: then %s", r.Rule, i, len(want), want[i].In(zone))
				}
				return
			}
			if i >= len(want) || !next.Equal(want[i]) {
				t.Fatalf("%+v is due at %s after %s, want %v", r.Rule, next, at.In(zone),
					append(want, time.Time{})[min(i, len(want))].In(zone))
			}
			at = next
		}
	})
}

// An interval counts from its beginning, even if the clocks change.
func TestNext_Interval_DoesNotDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rule{
			Kind:  Interval,
			At:    time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0),
			Every: time.Duration(rapid.IntRange(60, 1e7).Draw(t, "every")) * time.Second,
		}
		after := r.At.Add(time.Duration(rapid.Int64Range(-1e9, 4e8).Draw(t, "after")) * time.Second)
		next, found, err := r.Next(after, time.UTC)
		if err != nil || !found || !next.After(after) || next.Sub(r.At)%r.Every != 0 || next.Sub(r.At) < 0 ||
			next.After(r.At) && next.Add(-r.Every).After(after) {
			t.Fatalf("%v after %s: %s, %t, %v", r, after, next, found, err)
		}
	})
}

func TestNext_EndOfRule_FindsNothing(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]int{
		"every 2 h until 2026-11-20 18:00": 3, "daily at 9 until 22 nov": 2, "RRULE:FREQ=DAILY;COUNT=4": 4,
		"FREQ=DAILY;UNTIL=20261122T120000Z": 2,
		"in 5 min":                          1, "every day at 8 until tomorrow": 1, "FREQ=DAILY;COUNT=1": 1,
		"FREQ=DAILY;COUNT=2;BYHOUR=12;BYMINUTE=0": 2,
		"FREQ=DAILY;COUNT=3;BYHOUR=18;BYMINUTE=0": 3, "FREQ=WEEKLY;INTERVAL=2;COUNT=3": 3,
		"FREQ=WEEKLY;BYDAY=MO;COUNT=3": 3,
	} {
		r, err := Parse(text, at)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		n, after := 0, at
		for found := true; found && n < 10; n++ {
			if after, found, err = r.Next(after, time.UTC); err != nil {
				t.Fatal(err)
			}
		}
		if n-1 != want {
			t.Errorf("%s is due %d times, want %d", text, n-1, want)
		}
	}
}

// A rule is not due in the minute in which it was written. This holds even in a zone further west,
// where that minute is still to come.
func TestNext_MinuteOfCreation_IsNotDue(t *testing.T) {
	now, york := time.Date(2026, 11, 20, 13, 19, 30, 0, zoneOf(t, "Europe/Madrid")), zoneOf(t, "America/New_York")
	for text, want := range map[string]string{"FREQ=DAILY;COUNT=2": "Sat 21 Nov 13:19, Sun 22 Nov 13:19",
		"every 2 days": "Sun 22 Nov 09:00, Tue 24 Nov 09:00"} {
		r, err := Parse(text, now)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for at, found := now.Add(time.Hour), true; found && len(got) < 3; {
			if at, found, err = r.Next(at, york); err != nil {
				t.Fatal(err)
			} else if found {
				got = append(got, at.Format("Mon 2 Jan 15:04"))
			}
		}
		if list := strings.Join(got, ", "); !strings.HasPrefix(list, want) ||
			strings.Contains(text, "COUNT") && list != want {
			t.Errorf("%s comes %s, want %s", text, list, want)
		}
	}
}

// The texts are read on Friday, 20 November 2026, at 13:19 in Madrid.
var parsed = map[string]string{ // each text with its first two due times
	"in 20 min": "Fri 20 Nov 13:39", "in 2 days": "Sun 22 Nov 13:19", "in an hour": "Fri 20 Nov 14:19",
	"In 90m":        "Fri 20 Nov 14:49",
	"tomorrow at 9": "Sat 21 Nov 09:00", "tomorrow 9:30 pm": "Sat 21 Nov 21:30",
	"today at 18:00": "Fri 20 Nov 18:00", "at 20:15": "Fri 20 Nov 20:15",
	"20:15": "Fri 20 Nov 20:15", "monday at 8": "Mon 23 Nov 08:00", "friday at 8": "Fri 27 Nov 08:00",
	"next tue noon": "Tue 24 Nov 12:00",
	"24 dec at 18":  "Thu 24 Dec 18:00", "dec 24 2026 18:00": "Thu 24 Dec 18:00", "on the 3rd": "Thu 3 Dec 09:00",
	"2026-11-25 09:00":          "Wed 25 Nov 09:00",
	"2026-11-25T09:00:00+01:00": "Wed 25 Nov 09:00", "2026-11-25 at 9": "Wed 25 Nov 09:00",
	"weekdays 8:30":                    "Mon 23 Nov 08:30, Tue 24 Nov 08:30",
	"every day at 8 and 20:00":         "Fri 20 Nov 20:00, Sat 21 Nov 08:00",
	"daily at 8, 14:00":                "Fri 20 Nov 14:00, Sat 21 Nov 08:00",
	"every monday and thursday at 9":   "Mon 23 Nov 09:00, Thu 26 Nov 09:00",
	"sundays at 10":                    "Sun 22 Nov 10:00, Sun 29 Nov 10:00",
	"weekends at noon":                 "Sat 21 Nov 12:00, Sun 22 Nov 12:00",
	"every 2 h":                        "Fri 20 Nov 15:19, Fri 20 Nov 17:19",
	"every 2 h until friday":           "Fri 20 Nov 15:19, Fri 20 Nov 17:19",
	"every day":                        "Sat 21 Nov 09:00, Sun 22 Nov 09:00",
	"every 2 days at 9":                "Sun 22 Nov 09:00, Tue 24 Nov 09:00",
	"every week":                       "Fri 27 Nov 09:00, Fri 4 Dec 09:00",
	"hourly":                           "Fri 20 Nov 14:19, Fri 20 Nov 15:19",
	"first monday of the month at 10":  "Mon 7 Dec 10:00, Mon 4 Jan 10:00",
	"last day of every month at 18:00": "Mon 30 Nov 18:00, Thu 31 Dec 18:00",
	"the 15th of the month at 9":       "Tue 15 Dec 09:00, Fri 15 Jan 09:00",
	"30 8 * * 1-5":                     "Mon 23 Nov 08:30, Tue 24 Nov 08:30",
	"@daily":                           "Sat 21 Nov 00:00, Sun 22 Nov 00:00",
	"RRULE:FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0": "Mon 23 Nov 09:00, Mon 30 Nov 09:00",
	"daily at 9 3 times":                             "Sat 21 Nov 09:00, Sun 22 Nov 09:00",
	"":                                               "", "soon": "", "tomorrow": "Sat 21 Nov 09:00",
	"tomorrow at 9 or so": "",
	"every":               "", "every 0 min": "", "every blue moon": "", "in 20": "", "at 25": "", "at 8:60": "",
	"13 pm": "", "every 2 h until": "", "until friday": "", "tomorrow at 9 3 times": "", "60 * * * *": "",
	"* * * * * *": "", "@everysecond": "", "FREQ=SECONDLY": "", "FREQ=MINUTELY;INTERVAL=5": "",
	"FREQ=HOURLY;BYSETPOS=61": "", "0 0 * * 8": "",
	"32nd of the month at 9": "", "in 2 days 3 times": "",
	"weekdays":          "Mon 23 Nov 09:00, Tue 24 Nov 09:00",
	"every 2 h 0 times": "", "FREQ=DAILY;COUNT=0": "", "FREQ=DAILY;COUNT=-1": "", "daily at 9 00 times": "",
}

func TestParse_PhrasesOfTimes_AreUnderstood(t *testing.T) {
	madrid := zoneOf(t, "Europe/Madrid")
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, madrid)
	for text, want := range parsed {
		r, err := Parse(text, now)
		if want == "" {
			if err == nil {
				t.Errorf("%q is read as %+v", text, r)
			} else if !strings.Contains(err.Error(), Examples) {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		var got []string
		at := now
		for range strings.Count(want, ",") + 1 {
			var found bool
			if err == nil {
				at, found, err = r.Next(at, madrid)
			}
			if err != nil || !found {
				t.Errorf("%q: %v", text, err)
				break
			}
			got = append(got, at.Format("Mon 2 Jan 15:04"))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q is %s, want %s", text, strings.Join(got, ", "), want)
		}
	}
}

// An ambiguous text leads to a question. For a past or impossible time, the error shows the
// understood time.
func TestParse_AmbiguousOrPast_AsksBack(t *testing.T) {
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, zoneOf(t, "Europe/Madrid"))
	for text, want := range map[string]string{
		"3/4 at 9":         "Write 3 Apr or 4 Mar.",
		"at 8":             `Write "tomorrow at 8" or "at 20:00".`,
		"2026-11-20 13:00": "Fri 20 Nov 2026 13:00 CET, which is past", "today at 9": "which is past",
		"0 0 30 2 *":                       "never comes",
		"every day at 8 until 19 nov 2026": "never comes", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30": "never comes",
		"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30": "never comes",
	} {
		if r, err := Parse(text, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %s", text, r, err, want)
		}
	}
	if _, err := Parse("2026-11-20 13:19", now.Add(30*time.Second)); err != nil {
		t.Errorf("it took half a minute to write: %v", err)
	}
}

// An iCalendar rule for 29 February is due every four years, and so is a cron expression.
func TestNext_LeapDay_IsEveryFourYears(t *testing.T) {
	for _, text := range []string{"0 9 29 2 *", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=9;BYMINUTE=0"} {
		r, err := Parse(text, time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		next, _, err := r.Next(time.Date(2028, 3, 1, 0, 0, 0, 0, time.UTC), time.UTC)
		if want := "2032-02-29T09:00:00Z"; err != nil || next.Format(time.RFC3339) != want {
			t.Errorf("%s: %s, %v; want %s", text, next, err, want)
		}
	}
}

// FuzzParse checks that every text is read or refused, and that a rule is due after now.
func FuzzParse(f *testing.F) {
	for text := range parsed {
		f.Add(text)
	}
	for text := range spellings {
		f.Add(text)
	}
	zone, err := time.LoadLocation("America/Santiago")
	if err != nil {
		f.Fatal(err)
	}
	now := time.Date(2026, 9, 5, 23, 30, 0, 0, zone)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 {
			return
		}
		r, err := Parse(text, now)
		if err != nil {
			return
		}
		next, found, err := r.Next(now.Add(-maxLate), zone)
		if err != nil || !found || next.Before(now.Add(-maxLate)) {
			t.Errorf("%q is read as %+v, which is due at %s, %t, %v", text, r, next, found, err)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%q is read as %+v, which can't be kept: %v", text, r, err)
		}
		if other, err := r.WithTime(23*60+59, now); err == nil && other.NoTime || err == nil && !r.NoTime {
			t.Errorf("%q at another time is %+v", text, other)
		}
	})
}

// BenchmarkRuleNext finds the next due time. It should take at most 20 µs in 95 % of the calls.
func BenchmarkRuleNext(b *testing.B) {
	now := time.Date(2026, 11, 20, 13, 19, 0, 0, zoneOf(b, "Europe/Madrid"))
	for _, text := range []string{"every 2 h", "weekdays 8:30", "30 8 * * 1-5", "*/20 9-17 * * 1-5",
		"first monday of the month at 10"} {
		r, err := Parse(text, now)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.ReplaceAll(text, " ", "_"), func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				if _, found, err := r.Next(now, now.Location()); !found || err != nil {
					b.Fatal(found, err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Nanoseconds())/1000, "µs-p95")
		})
	}
}

// The description of each rule is correct.
func TestDescribe_EachRule_IsCorrect(t *testing.T) {
	for words, want := range map[string]string{
		"every 10 min": "every 10 minutes", "every 30 min": "every 30 minutes", "every 1 min": "every minute",
		"hourly": "every hour", "every 20 h": "every 20 hours",
		"every 90 min": "every 1 hour and 30 minutes", "*/30 8-21 * * *": "every 30 minutes from 08:00 to " +
			"21:30", "*/15 * * * *": "every 15 minutes",
		"*/7 * * * *": "by the cron expression */7 * * * *", "0 9 * * 1": "by the cron expression 0 9 * * 1",
		"*/0 * * * *":   "",
		"weekdays 8:30": "weekdays at 08:30", "daily at 9 3 times": "every day at 09:00, 3 times",
	} {
		rule, err := Parse(words, time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", words, err)
			}
			continue
		}
		if got := rule.Describe(time.UTC); got != want {
			t.Errorf("%s is %q, want %q", words, got, want)
		}
	}
}
