package heartbeat

import (
	"maps"
	"time"
)

// ItemRecord is the stored record of an item of HEARTBEAT.md.
type ItemRecord struct {
	Since time.Time `json:"since"`           // when the item was first seen
	Last  time.Time `json:"last,omitzero"`   // when the item was last due, or last reported as unreadable
	Times int       `json:"times,omitempty"` // the number of times that the item was due
}

// ItemRecords has the record of each item, by the item's key.
type ItemRecords map[string]ItemRecord

// DueItems returns the items that are due now, and the new records. An item without a time is due
// when it is first seen, and then at the first check of each day. An item with a time is due once
// after one or more of its times have passed. Its count limits how often it is due. An unreadable
// item is due once, so that the user is told. Items that are no longer in the file are forgotten.
func DueItems(items []Item, was ItemRecords, now time.Time, zone *time.Location) (due []Item, next ItemRecords,
	err error) {
	next = ItemRecords{}
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

func (i Item) due(seen ItemRecord, now time.Time, zone *time.Location) (bool, error) {
	switch {
	case i.Wrong != "":
		return seen.Last.IsZero(), nil
	case !i.HasTime():
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

// day returns the date of a moment in a zone.
func day(at time.Time, zone *time.Location) [3]int {
	year, month, day := at.In(zone).Date()
	return [3]int{year, int(month), day}
}
