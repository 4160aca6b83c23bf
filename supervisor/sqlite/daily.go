package sqlite

import (
	"cmp"
	"context"
	"time"
)

// Daily is what a person's usage ("" is everybody's) comes to on each day in zone, from that of since to that of now: in
// order, and with the days on which there was none. nil is UTC.
func (s Usage) Daily(ctx context.Context, user string, since time.Time, zone *time.Location) ([]Total, error) {
	zone = cmp.Or(zone, time.UTC)
	y, m, d := since.In(zone).Date()
	at := time.Date(y, m, d, 12, 0, 0, 0, zone) // noon: that is on every day, whatever the clocks do
	before := at.Add(-24 * time.Hour)           // the day has not begun; what is too early is left out
	totals, err := s.sum(ctx, Query{User: user, From: before, By: []Dimension{ByDay}, Zone: zone})
	if err != nil {
		return nil, during(err, "add up the usage of %q by day", user)
	}
	byDay := map[string]Total{}
	for _, t := range totals {
		byDay[t.Day] = t
	}
	var list []Total
	last := s.db.writer.now().In(zone).Format(time.DateOnly)
	for date := at.Format(time.DateOnly); date <= last; date = at.Format(time.DateOnly) {
		t := byDay[date]
		t.Day = date
		list = append(list, t)
		d++
		at = time.Date(y, m, d, 12, 0, 0, 0, zone)
	}
	return list, nil
}
