package access_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor/access"
)

func TestAStrangersCodesAreLookedAtUpToABound(t *testing.T) {
	var k access.Knocks
	look := func(id int64, at time.Time) int {
		n := 0
		for range 10 {
			if k.Look(id, at) {
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
		if got := look(c.id, c.at); got != c.want {
			t.Errorf("%s: %d were looked at", c.what, got)
		}
	}
}

func TestARightCodeDoesNotCount(t *testing.T) {
	var k access.Knocks
	k.Right(7) // nothing was looked at
	for i := range 100 {
		if !k.Look(int64(i%3), noon) {
			t.Fatalf("code %d was not looked at", i)
		}
		k.Right(int64(i % 3))
	}
	for range 5 {
		k.Look(7, noon)
	}
	k.Right(8) // never looked at: it gives nothing back
	if k.Look(7, noon) {
		t.Error("a sixth was looked at")
	}
}

func TestACrowdsCodesAreLookedAtUpToABound(t *testing.T) {
	var k access.Knocks
	var looked atomic.Int64
	var crowd sync.WaitGroup
	for range 4 {
		crowd.Go(func() {
			for id := range int64(1000) {
				if k.Look(id, noon) {
					looked.Add(1)
				}
			}
		})
	}
	crowd.Wait()
	if looked.Load() != 30 {
		t.Errorf("%d were looked at", looked.Load())
	}
}
