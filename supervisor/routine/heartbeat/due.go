package heartbeat

import (
	"maps"
	"time"
)

// Seen is what is known of an item from earlier looks.
type Seen struct {
	Since time.Time `json:"since"`           // it was first seen
	Last  time.Time `json:"last,omitzero"`   // it was last due, or told to be wrong
	Times int       `json:"times,omitempty"` // that it was due
}

// State is what is known of items, by their keys.
type State map[string]Seen

// Due says which items are due at a look, and what is known after it. An item without a time is due
// once it is seen, and from then on at the first look of each day; one with a time once that has
// come since it was due last, however often, and as many times as it says. One that can't be read
// is due once, so that it is told. What is in the file no more is forgotten.
func Due(items []Item, was State, now time.Time, zone *time.Location) (due []Item, next State, err error) {
	next = State{}
	for _, i := range items {
		seen, known := was[i.Key]
		if !known {
			seen.Since = now
		}
		is, err := i.due(seen, now, zone)
		if err != nil {
			return nil, maps.Clone(was), err
		}
		if is {
			due, seen.Last, seen.Times = append(due, i), now, seen.Times+1
		}
		next[i.Key] = seen
	}
	return due, next, nil
}

func (i Item) due(seen Seen, now time.Time, zone *time.Location) (bool, error) {
	switch {
	case i.Wrong != "":
		return seen.Last.IsZero(), nil
	case !i.Timed():
		return seen.Last.IsZero() || now.After(seen.Last) && day(now, zone) != day(seen.Last, zone), nil
	case i.When.MaxFires > 0 && seen.Times >= i.When.MaxFires:
		return false, nil
	}
	after := seen.Since
	if seen.Last.After(after) {
		after = seen.Last
	}
	next, found, err := i.When.Next(after, zone)
	return found && !next.After(now), err
}

// day is the day of a moment, as people there count it.
func day(at time.Time, zone *time.Location) [3]int {
	year, month, day := at.In(zone).Date()
	return [3]int{year, int(month), day}
}
