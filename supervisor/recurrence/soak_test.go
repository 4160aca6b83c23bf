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

// The size of the soak: how many rules are drawn, over how many years. MEWS_SOAK_RULES and
// MEWS_SOAK_YEARS make it longer (`make nightly LONG=Soak`); MEWS_SOAK_FIRST is the number of the
// first rule: each number is a rule of its own, and always the same.
const (
	soakRules = 20
	soakYears = 1
)

// soakZones have changed their clocks by an hour, by half an hour, by two, by a day, at midnight,
// around Ramadan, and for good.
var soakZones = []string{
	"Europe/Madrid", "America/New_York", "America/Santiago", "Africa/Cairo",
	"America/Havana", "Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca",
	"Europe/Dublin", "Antarctica/Troll", "Pacific/Apia", "Asia/Pyongyang",
	"America/Sao_Paulo", "America/Caracas", "Asia/Tehran", "Europe/Istanbul", "Asia/Gaza",
	"America/Scoresbysund", "Asia/Kathmandu", "UTC",
}

// soakCase is a rule in a zone, from a moment on, and other moments after which it is asked for.
type soakCase struct {
	drawnRule
	zone    *time.Location
	from    time.Time
	moments []time.Time
}

// newSoaked is a rule of some number. It begins between 2006 and 2030: of the past the changes of
// clocks are known.
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

// TestSoak: over years, and in zones that have done strange things to their clocks, rules are due
// at just those moments that walks through every minute find, whatever moment they are asked after.
func TestSoak(t *testing.T) {
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
	// The walk goes by the wall, and where a span ends in an hour that comes twice it ends in the
	// first of both. So it goes on for a while.
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

// walkByTheClock looks at a clock on the wall in every minute. What it shows for the first time is
// due, and so is what it has left out.
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

// follow goes from each moment at which the rule is due to the next.
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

// soakNumber is an environment variable, or what holds without it.
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
