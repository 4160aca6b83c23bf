package calendar

import (
	"slices"
	"time"
)

// Between returns the occurrences of calendars that have a part between two instants.
func Between(list []*Calendar, from, to time.Time) (all Occurrences) {
	for _, c := range list {
		found := c.Between(from, to)
		all.List = append(all.List, found.List...)
		all.More = all.More || found.More
		all.Cut = append(all.Cut, found.Cut...)
		all.Unread = append(all.Unread, found.Unread...)
		for _, zone := range found.Zones {
			if !slices.Contains(all.Zones, zone) {
				all.Zones = append(all.Zones, zone)
			}
		}
		all.Until = found.Until
	}
	all.shorten()
	return all
}

// Overlaps returns the first pairs of an own and a subscribed occurrence at the same time. The list
// begins with the earliest. Whole days and events that are marked as free do not count.
func Overlaps(list []Occurrence, most int) (pairs []Conflict) {
	for i, first := range list {
		for _, other := range list[i+1:] {
			if !other.Start.Before(first.End) {
				break
			}
			if !first.Busy() || !other.Busy() || (first.Calendar == "") == (other.Calendar == "") ||
				!first.Start.Before(other.End) {
				continue
			}
			pair := Conflict{Ours: first, Other: other}
			if first.Calendar != "" {
				pair = Conflict{Ours: other, Other: first}
			}
			if pairs = append(pairs, pair); len(pairs) == most {
				return pairs
			}
		}
	}
	return pairs
}
