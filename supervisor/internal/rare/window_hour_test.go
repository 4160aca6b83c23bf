package rare_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor/internal/rare"
)

func hourly() *rare.RecordLimiter {
	return &rare.RecordLimiter{Length: time.Hour, MaxTotal: 30, MaxPerKey: 5}
}

func TestLimiter_OneKey_IsLimitedPerHour(t *testing.T) {
	k := hourly()
	update := int64(0)
	note := func(id int64, at time.Time) int {
		n := 0
		for range 10 {
			update++
			if k.MayRecord(fmt.Sprint(id), update, at) {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		what string
		id   int64
		at   time.Time
		want int
	}{
		{"one", 7, noon, 5},
		{"the same at the end of the hour", 7, noon.Add(time.Hour - 1), 0},
		{"another", 8, noon, 5},
		{"in the next hour", 7, noon.Add(time.Hour), 5},
		{"late, of the hour before", 7, noon.Add(time.Hour - 1), 0},
		{"after the clock was set back", 7, noon.AddDate(-1, 0, 0), 5},
		{"two", 1, noon, 5}, {"three", 2, noon, 5}, {"four", 3, noon, 5}, {"five", 4, noon, 5}, {"six", 5, noon, 5},
		{"the seventh", 6, noon, 5}, {"one too many", 9, noon, 0},
	} {
		if got := note(c.id, c.at); got != c.want {
			t.Errorf("%s: %d were noted", c.what, got)
		}
	}
}

// An update that could not be stored is repeated. It counts once, and gets the same answer each
// time.
func TestLimiter_RepeatedUpdate_CountsOnce(t *testing.T) {
	k := hourly()
	for range 3 {
		for update := range int64(5) {
			if !k.MayRecord("7", update, noon) {
				t.Errorf("update %d was not noted", update)
			}
		}
		if k.MayRecord("7", 5, noon) {
			t.Error("a sixth was noted")
		}
	}
	for id := range int64(5) {
		for update := range int64(5) {
			k.MayRecord(fmt.Sprint(100+id), update, noon)
		}
	}
	if k.MayRecord("200", 0, noon) || !k.MayRecord("100", 0, noon) {
		t.Error("the bound of all is not 30 updates")
	}
}

func TestLimiter_AllKeys_AreLimitedPerHour(t *testing.T) {
	k := hourly()
	var noted atomic.Int64
	var crowd sync.WaitGroup
	for update := range int64(4) {
		crowd.Go(func() {
			for id := range int64(1000) {
				if k.MayRecord(fmt.Sprint(id), update, noon) {
					noted.Add(1)
				}
			}
		})
	}
	crowd.Wait()
	if noted.Load() != 30 {
		t.Errorf("%d were noted", noted.Load())
	}
}
