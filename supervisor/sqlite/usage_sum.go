package sqlite

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"mews/protocol"
	"mews/supervisor/internal/engine"
	"mews/supervisor/modelcall"
)

// UsageDimension is something by which usage is told apart.
type UsageDimension string

const (
	ByUser         UsageDimension = "user"
	ByConversation UsageDimension = "conversation"
	ByModel        UsageDimension = "model"
	ByPurpose      UsageDimension = "purpose"
	ByDay          UsageDimension = "day"
)

// dimensions are all that there are, in the order of the queries' columns.
var dimensions = []UsageDimension{ByUser, ByConversation, ByModel, ByPurpose, ByDay}

// UsageQuery is a question about usage.
type UsageQuery struct {
	User string           // whose; "" is everybody's. What a pot pays for is no person's
	From time.Time        // the first moment that counts; zero is the beginning
	To   time.Time        // the first moment that does not; zero is the end
	By   []UsageDimension // what is told apart; nothing gives one total
	Zone *time.Location   // whose midnights end the days; nil is UTC
}

// UsageTotal is what some calls come to together. The fields of dimensions that are not told apart
// are zero.
type UsageTotal struct {
	User         string // or a pot's name
	Conversation int64  // 0 too where a call was for none
	Model        string // provider/model; as the provider names it where that is not known
	Purpose      modelcall.Purpose
	Day          string // 2026-11-20
	Calls        int64  // those that failed included
	Failed       int64
	Usage        protocol.Usage
	Cost         int64 // in millionths of a dollar, of the calls with a price
	Unpriced     int64 // calls without one; one that failed before it counted anything needs none
}

// quarterHour is a quarter of an hour in milliseconds, as in the queries. No time zone has its
// midnight within one.
const quarterHour = 15 * 60 * 1000

const (
	selectTotals = `SELECT iif(?4, coalesce(pot, user), ''), iif(?5, coalesce(conversation, 0), 0),
		iif(?6, iif(spec <> '', spec, model), ''), iif(?7, purpose, ''), iif(?8, created_at / 900000, 0), count(*),
		count(class), sum(input), sum(output), sum(cache_read), sum(cache_write), max(estimated),
		coalesce(sum(cost), 0),
		sum(cost IS NULL AND (class IS NULL OR input + output + cache_read + cache_write > 0)) FROM usage `
	sumUser = selectTotals + `WHERE user = ?1 AND pot IS NULL AND created_at >= ?2 AND created_at < ?3 GROUP BY 1, 2, 3, 4, 5`
	sumAll  = selectTotals + `WHERE created_at >= ?2 AND created_at < ?3 GROUP BY 1, 2, 3, 4, 5`
)

// Sum adds usage up. The dearest total comes first; of two that cost the same, the one with more
// tokens. Where there was no call there is no total.
func (s Usage) Sum(ctx context.Context, q UsageQuery) ([]UsageTotal, error) {
	query, args := sumUser, []any{q.User, since(q.From), until(q.To)}
	if q.User == "" {
		query = sumAll
	}
	for _, d := range dimensions {
		args = append(args, slices.Contains(q.By, d))
	}
	for _, d := range q.By {
		if !slices.Contains(dimensions, d) {
			return nil, invalid("usage is not told apart by %q", d)
		}
	}
	parts, err := engine.All(s.db.reader(ctx, "add up the usage of %q", q.User), scanTotal, query, args...)
	if err != nil {
		return nil, err
	}
	return q.merge(parts), nil
}

// totalRow is a part of a total: that of one quarter of an hour where days are told apart.
type totalRow struct {
	UsageTotal
	quarter int64 // since 1970
}

func scanTotal(row *engine.Row) (p totalRow) {
	u := &p.Usage
	row.Scan(&p.User, &p.Conversation, &p.Model, &p.Purpose, &p.quarter, &p.Calls, &p.Failed, &u.Input, &u.Output,
		&u.CacheRead, &u.CacheWrite, &u.Estimated, &p.Cost, &p.Unpriced)
	return p
}

// merge makes totals of their parts: SQLite knows nothing of time zones.
func (q UsageQuery) merge(parts []totalRow) []UsageTotal {
	zone, days := cmp.Or(q.Zone, time.UTC), slices.Contains(q.By, ByDay)
	sums := map[UsageTotal]UsageTotal{} // by what tells them apart
	for _, p := range parts {
		if days {
			p.Day = fromMillis(p.quarter * quarterHour).In(zone).Format(time.DateOnly)
		}
		key := UsageTotal{User: p.User, Conversation: p.Conversation, Model: p.Model, Purpose: p.Purpose, Day: p.Day}
		sums[key] = p.plus(sums[key])
	}
	return slices.SortedFunc(maps.Values(sums), compareTotals)
}

// plus is t with the figures of more.
func (t UsageTotal) plus(more UsageTotal) UsageTotal {
	t.Calls += more.Calls
	t.Failed += more.Failed
	t.Usage = t.Usage.Plus(more.Usage)
	t.Cost += more.Cost
	t.Unpriced += more.Unpriced
	return t
}

func compareTotals(a, b UsageTotal) int {
	return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Usage.Input+b.Usage.Output, a.Usage.Input+a.Usage.Output),
		cmp.Compare(a.Day, b.Day), cmp.Compare(a.User, b.User), cmp.Compare(a.Conversation, b.Conversation),
		cmp.Compare(a.Model, b.Model), cmp.Compare(a.Purpose, b.Purpose))
}

// Daily is what a person's usage ("" is everybody's) comes to on each day in zone, from that of
// since to today: in order, and with the days on which there was none. nil is UTC.
func (s Usage) Daily(ctx context.Context, user string, since time.Time, zone *time.Location) ([]UsageTotal, error) {
	zone = cmp.Or(zone, time.UTC)
	y, m, d := since.In(zone).Date()
	// noon: that is on every day, whatever the clocks do
	at := time.Date(y, m, d, 12, 0, 0, 0, zone)
	// the day has not begun; what is too early is left out
	before := at.Add(-24 * time.Hour)
	totals, err := s.Sum(ctx, UsageQuery{User: user, From: before, By: []UsageDimension{ByDay}, Zone: zone})
	if err != nil {
		return nil, err
	}
	byDay := map[string]UsageTotal{}
	for _, t := range totals {
		byDay[t.Day] = t
	}
	var list []UsageTotal
	last := s.db.engine.Now().In(zone).Format(time.DateOnly)
	for date := at.Format(time.DateOnly); date <= last; date = at.Format(time.DateOnly) {
		t := byDay[date]
		t.Day = date
		list = append(list, t)
		d++
		at = time.Date(y, m, d, 12, 0, 0, 0, zone)
	}
	return list, nil
}
