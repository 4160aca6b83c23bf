package rare_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/supervisor/internal/rare"
)

var noon = time.Date(2026, 9, 14, 12, 0, 0, 0, time.UTC)

func TestLimiter_SameKey_IsNewOncePerDay(t *testing.T) {
	var s rare.RecordLimiter
	midnight := noon.Add(12 * time.Hour)
	for _, c := range []struct {
		what string
		id   int64
		at   time.Time
		want bool
	}{
		{"one", 7, noon, true},
		{"the same", 7, noon.Add(time.Hour), false},
		{"another", 8, noon, true},
		{"the first, on the next day", 7, midnight, true},
		{"one of the day before that comes late", 7, midnight.Add(-time.Nanosecond), false},
		{"the same, still that day", 7, midnight.Add(23 * time.Hour), false},
		{"after the clock was set back by years", 7, noon.AddDate(-3, 0, 0), true},
		{"before there was time", 7, time.Time{}, true},
	} {
		if got := s.IsNewKey(fmt.Sprint(c.id), c.at); got != c.want {
			t.Errorf("%s: got %v", c.what, got)
		}
	}
}

func TestLimiter_ManyKeysPerDay_AreLimited(t *testing.T) {
	var s rare.RecordLimiter
	var noted atomic.Int64
	var crowd sync.WaitGroup
	for half := range int64(2) {
		for range 2 { // two goroutines send the same half of the ids at the same time
			crowd.Go(func() {
				for id := range int64(7500) {
					if s.IsNewKey(fmt.Sprint(half*7500+id), noon) {
						noted.Add(1)
					}
				}
			})
		}
	}
	crowd.Wait()
	if noted.Load() != 10_000 {
		t.Errorf("%d were noted", noted.Load())
	}
	if !s.IsNewKey("-1", noon.Add(24*time.Hour)) {
		t.Error("the next day nobody is noted")
	}
}

// No key is recorded twice on one day, for random forward steps of the clock.
func TestLimiter_RandomClock_RecordsOncePerDay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s rare.RecordLimiter
		now, noted := noon, map[[2]int64]bool{}
		for range rapid.IntRange(1, 50).Draw(t, "arrivals") {
			now = now.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "hours")) * time.Hour)
			id := rapid.Int64Range(1, 3).Draw(t, "id")
			arrival := [2]int64{id, int64(now.YearDay())}
			if got := s.IsNewKey(fmt.Sprint(id), now); got == noted[arrival] {
				t.Fatalf("%d at %s: noted %v, before %v", id, now, got, noted[arrival])
			}
			noted[arrival] = true
		}
	})
}
