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
	update := int64(0)
	look := func(id int64, at time.Time) int {
		n := 0
		for range 10 {
			update++
			if k.Look(id, update, at) {
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
	k.Right(7, 1) // nothing was looked at
	for i := range int64(100) {
		if !k.Look(i%3, i, noon) {
			t.Fatalf("code %d was not looked at", i)
		}
		k.Right(i%3, i)
	}
	for update := range int64(5) {
		k.Look(7, update, noon)
	}
	k.Right(8, 0) // never looked at: it gives nothing back
	if k.Look(7, 5, noon) {
		t.Error("a sixth was looked at")
	}
}

// What comes again because it could not be kept is no further try, and is looked at as it was the first time.
func TestAnUpdateThatComesAgainIsCountedOnce(t *testing.T) {
	var k access.Knocks
	for range 3 {
		for update := range int64(5) {
			if !k.Look(7, update, noon) {
				t.Errorf("update %d was not looked at", update)
			}
		}
		if k.Look(7, 5, noon) {
			t.Error("a sixth was looked at")
		}
	}
	for range 2 { // a right one that comes again gives back what it has taken, and no more
		k.Right(7, 0)
	}
	if !k.Look(7, 6, noon) || k.Look(7, 7, noon) {
		t.Error("after a right one there was not room for one more")
	}
	for id := range int64(5) {
		for update := range int64(5) {
			k.Look(100+id, update, noon)
		}
	}
	if k.Look(200, 0, noon) || !k.Look(100, 0, noon) {
		t.Error("the bound of all is not 30 updates")
	}
}

func TestACrowdsCodesAreLookedAtUpToABound(t *testing.T) {
	var k access.Knocks
	var looked atomic.Int64
	var crowd sync.WaitGroup
	for update := range int64(4) {
		crowd.Go(func() {
			for id := range int64(1000) {
				if k.Look(id, update, noon) {
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
