package recurrence

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Size of the soak test: the number of drawn rules, and of years. MEWS_SOAK_RULES and
// MEWS_SOAK_YEARS make the test longer (`make nightly LONG=Soak`). MEWS_SOAK_FIRST is the number of
// the first rule; each number always gives the same rule.
const (
	soakRules = 20
	soakYears = 1
)

// soakZones are zones whose clocks have changed by an hour, half an hour, two hours or a day. Some
// changed at midnight, around Ramadan, or for good.
var soakZones = []string{
	"Europe/Madrid", "America/New_York", "America/Santiago", "Africa/Cairo",
	"America/Havana", "Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca",
	"Europe/Dublin", "Antarctica/Troll", "Pacific/Apia", "Asia/Pyongyang",
	"America/Sao_Paulo", "America/Caracas", "Asia/Tehran", "Europe/Istanbul", "Asia/Gaza",
	"America/Scoresbysund", "Asia/Kathmandu", "UTC",
}

// soakCase is a rule in a zone from a moment on, with further moments from which the search starts.
type soakCase struct {
	drawnRule
	zone    *time.Location
	from    time.Time
	moments []time.Time
}

// newSoaked makes the rule with the given number. The rule begins between 2006 and 2030, because
// past clock changes are known.
func newSoaked(t *testing.T, number, years int) soakCase {
	rng := rand.New(rand.NewPCG(uint64(number), 0))
	s := soakCase{zone: zoneOf(t, soakZones[rng.IntN(len(soakZones))])}
	s.from = time.Date(2006, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rng.IntN(24*365*24*60)) * time.Minute)
	s.drawnRule = rapid.Custom(func(t *rapid.T) drawnRule { return drawRule(t, s.zone, s.from) }).Example(number)
	for range 50 * years {
		s.moments = append(s.moments, s.from.Add(time.Duration(rng.Int64N(int64(years)*365*24*int64(time.Hour)))))
	}
	return s
}

// A rule is due exactly at the moments that a walk through every minute finds. This holds over
// years, in zones with unusual clock changes, and for a search from any moment.
func TestSoak_RandomRules_MatchMinuteWalk(t *testing.T) {
	first, years := soakNumber(t, "MEWS_SOAK_FIRST", 0), soakNumber(t, "MEWS_SOAK_YEARS", soakYears)
	for i := range soakNumber(t, "MEWS_SOAK_RULES", soakRules) {
		t.Run(fmt.Sprint(first+i), func(t *testing.T) {
			t.Parallel()
			s := newSoaked(t, first+i, years)
			s.check(t, s.from.AddDate(years, 0, 0))
		})
	}
}

func (s soakCase) check(t *testing.T, to time.Time) {
	// The walk uses wall time. If a span ends in an hour that exists twice, the walk stops in the
	// first of the two hours. So the walk continues for a while.
	want := slices.DeleteFunc(
		s.walk(s.from, to.AddDate(0, 0, 2), s.zone),
		func(at time.Time) bool { return at.After(to) },
	)
	if s.Kind != Cron || !s.goesByElapsedTime() {
		if other := s.walkByTheClock(to); !slices.EqualFunc(want, other, time.Time.Equal) {
			t.Fatalf("%+v: one walk finds %d moments, the other %d", s.Rule, len(want), len(other))
		}
	}
	s.follow(t, want, to)
	for _, after := range s.moments {
		i, is := slices.BinarySearchFunc(want, after, time.Time.Compare)
		if is {
			i++
		}
		next, found, err := s.Next(after, s.zone)
		switch {
		case err != nil:
			t.Fatal(err)
		case i < len(want) && (!found || !next.Equal(want[i])):
			t.Fatalf("%+v is due at %s after %s, want %s", s.Rule, next, after.In(s.zone), want[i].In(s.zone))
		case i == len(want) && found && !next.After(to):
			t.Fatalf("%+v is due at %s after %s, want none until %s", s.Rule, next, after.In(s.zone), to.In(s.zone))
		}
	}
}

// walkByTheClock reads a wall clock every minute. A time is due when the clock first shows the time
// or has skipped it.
func (s soakCase) walkByTheClock(to time.Time) (due []time.Time) {
	at := s.from.AddDate(0, 0, -2)
	shown := wallOf(at.In(s.zone))
	for ; !at.After(to); at = at.Add(time.Minute) {
		now, is := wallOf(at.In(s.zone)), false
		for ; now.After(shown); shown = shown.Add(time.Minute) {
			is = is || s.matches(shown.Add(time.Minute))
		}
		if is && at.After(s.from) {
			due = append(due, at)
		}
	}
	return due
}

// follow checks that each search from a due moment finds the next due moment.
func (s soakCase) follow(t *testing.T, want []time.Time, to time.Time) {
	t.Helper()
	at := s.from
	for i := 0; ; i++ {
		next, found, err := s.Next(at, s.zone)
		switch {
		case err != nil:
			t.Fatal(err)
		case (!found || next.After(to)) && i == len(want):
			return
		case !found || next.After(to):
			t.Fatalf("%+v is due %d times, want %d: then %s", s.Rule, i, len(want), want[i].In(s.zone))
		case i == len(want):
			t.Fatalf("%+v is due at %s after %s, want none until %s", s.Rule, next, at.In(s.zone), to.In(s.zone))
		case !next.Equal(want[i]):
			t.Fatalf("%+v is due at %s after %s, want %s", s.Rule, next, at.In(s.zone), want[i].In(s.zone))
		}
		at = next
	}
}

// soakNumber returns the number in an environment variable. If the variable is empty, it returns
// the parameter otherwise.
func soakNumber(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}
