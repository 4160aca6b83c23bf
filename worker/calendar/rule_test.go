package calendar

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teambition/rrule-go"
)

// randomRule returns a rule that has occurrences in most years.
func randomRule(r *rand.Rand) string {
	freq := []string{"YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"}[r.IntN(6)]
	rule := []string{"FREQ=" + freq}
	// The library may search for ever in a rule of hours or minutes that names few of them.
	fine := freq == "HOURLY" || freq == "MINUTELY"
	if !fine {
		rule = append(rule, fmt.Sprint("INTERVAL=", 1+r.IntN(4)))
	}
	numbers := func(name string, n, low, high int, negative bool) {
		var list []string
		for range 1 + r.IntN(n) {
			v := low + r.IntN(high-low+1)
			if negative && r.IntN(3) == 0 && v != 0 {
				v = -v
			}
			list = append(list, fmt.Sprint(v))
		}
		slices.Sort(list) // the library repeats a time that is named twice
		rule = append(rule, name+"="+strings.Join(slices.Compact(list), ","))
	}
	maybe := func(share int) bool { return r.IntN(share) == 0 }
	byDay := false
	if maybe(2) {
		byDay = true
		// The library drops days without a number if another one has a number.
		ordinals := (freq == "MONTHLY" || freq == "YEARLY") && maybe(2)
		var list []string
		for range 1 + r.IntN(3) {
			day := []string{"MO", "TU", "WE", "TH", "FR", "SA", "SU"}[r.IntN(7)]
			if ordinals {
				day = fmt.Sprint([]int{1, 2, 3, 4, 5, -1, -2}[r.IntN(7)]) + day
			}
			list = append(list, day)
		}
		rule = append(rule, "BYDAY="+strings.Join(list, ","))
	}
	if !fine && maybe(3) {
		numbers("BYMONTH", 3, 1, 12, false)
	}
	if !fine && freq != "WEEKLY" && maybe(4) {
		numbers("BYMONTHDAY", 3, 1, 31, true)
	}
	if freq == "YEARLY" && maybe(6) {
		numbers("BYYEARDAY", 3, 1, 366, true)
	}
	if freq == "YEARLY" && byDay && !strings.ContainsAny(rule[len(rule)-1], "12345") && maybe(2) {
		numbers("BYWEEKNO", 3, 1, 52, true)
	}
	if maybe(4) {
		numbers("BYHOUR", 2, 0, 23, false)
	}
	if maybe(6) {
		numbers("BYMINUTE", 2, 0, 59, false)
	}
	if !fine && freq != "WEEKLY" && freq != "DAILY" && maybe(4) && len(rule) > 2 { // the library lets the first week begin at the start
		numbers("BYSETPOS", 2, 1, 3, true)
	}
	if maybe(3) {
		rule = append(rule, "WKST="+[]string{"MO", "SU", "TH"}[r.IntN(3)])
	}
	if maybe(4) {
		rule = append(rule, fmt.Sprint("COUNT=", 1+r.IntN(50)))
	}
	return strings.Join(rule, ";")
}

// TestRule_RandomRules_MatchLibrary: rules have the occurrences that package rrule computes.
func TestRule_RandomRules_MatchLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	start := time.Date(2024, 2, 29, 9, 30, 0, 0, time.UTC)
	to := start.AddDate(3, 0, 0)
	for range 60 {
		text := randomRule(random)
		o, err := rrule.StrToROption(text)
		if err != nil {
			t.Fatal(text, err)
		}
		o.Dtstart, o.Until = start, to.Add(-time.Second)
		library, err := rrule.NewRRule(*o)
		if err != nil {
			t.Fatal(text, err)
		}
		var want []time.Time
		next := library.Iterator()
		for at, ok := next(); ok && len(want) < 200; at, ok = next() {
			want = append(want, at)
		}
		ours, err := parseRule(text, start, time.UTC)
		if err != nil {
			t.Fatal(text, err)
		}
		got, _ := ours.between(start, to, 201)
		if len(want) == 0 || !want[0].Equal(start) {
			// the library leaves out a start that does not match the rule
			got = slices.DeleteFunc(got, func(at time.Time) bool { return at.Equal(start) })
			if ours.Count > 0 {
				want = want[:min(len(want), ours.Count-1)]
			}
		}
		got, want = got[:min(len(got), 200)], want[:min(len(want), 200)]
		if !ours.cut && !slices.EqualFunc(got, want, time.Time.Equal) {
			t.Errorf("%s:\ngot  %v\nwant %v", text, got[:min(len(got), 8)], want[:min(len(want), 8)])
		}
		// a later window has the same occurrences
		from := start.AddDate(1, 3, 5)
		later, _ := ours.between(from, to, 1e6)
		all, _ := ours.between(start, to, 1e6)
		if i := slices.IndexFunc(all, func(at time.Time) bool { return !at.Before(from) }); i >= 0 {
			all = all[i:]
		} else {
			all = nil
		}
		if !ours.cut && len(all) < 1e5 && !slices.Equal(all, later) && len(all) == len(later) {
			t.Errorf("%s from %v: %d, want %d", text, from, len(later), len(all))
		}
	}
}
