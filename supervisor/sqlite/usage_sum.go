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

// UsageDimension is a property by which usage is grouped.
type UsageDimension string

const (
	UsageByUser         UsageDimension = "user"
	UsageByConversation UsageDimension = "conversation"
	UsageByModel        UsageDimension = "model"
	UsageByPurpose      UsageDimension = "purpose"
	UsageByDay          UsageDimension = "day"
)

// dimensions lists all dimensions, in the order of the queries' columns.
var dimensions = []UsageDimension{UsageByUser, UsageByConversation, UsageByModel, UsageByPurpose, UsageByDay}

// UsageQuery selects and groups usage.
type UsageQuery struct {
	User string           // user of the usage; "" means all users; usage that a pot pays belongs to no user
	From time.Time        // start of the time span, inclusive; zero means no start
	To   time.Time        // end of the time span, exclusive; zero means no end
	By   []UsageDimension // properties to group by; none gives one total
	Zone *time.Location   // the zone of the days; nil means UTC
}

// UsageTotal is the sum over a group of calls. A field that names a dimension is zero unless the
// usage is grouped by that dimension.
type UsageTotal struct {
	User         string // the user, or the name of the pot, that pays for the calls
	Conversation int64  // conversation of the calls; 0 also means calls without a conversation
	Model        string // provider/model, or the provider's name of the model if the provider is unknown
	Purpose      modelcall.Purpose
	Day          string // day of the calls, such as 2026-11-20
	Calls        int64  // number of calls, including failed ones
	Failed       int64
	Usage        protocol.Usage
	Cost         int64 // cost of the calls with a price, in millionths of a dollar
	Unpriced     int64 // number of calls without a price, except failed ones without tokens
}

// quarterHour is a quarter of an hour in milliseconds, as in the queries. In every time zone
// midnight is at the start of a quarter.
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

// Sum adds up usage. The most expensive total comes first. Of equally expensive totals, the one
// with more tokens comes first. Without calls there is no total.
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
	parts, err := engine.AllRows(s.db.reader(ctx, "sum the usage of %q", q.User), scanTotal, query, args...)
	if err != nil {
		return nil, err
	}
	return q.merge(parts), nil
}

// totalRow is a part of a total. If usage is grouped by days, a totalRow covers one quarter of an
// hour.
type totalRow struct {
	UsageTotal
	quarter int64 // number of the quarter hour since 1970
}

func scanTotal(row *engine.Row) (p totalRow) {
	u := &p.Usage
	row.Scan(&p.User, &p.Conversation, &p.Model, &p.Purpose, &p.quarter, &p.Calls, &p.Failed, &u.Input, &u.Output,
		&u.CacheRead, &u.CacheWrite, &u.Estimated, &p.Cost, &p.Unpriced)
	return p
}

// merge adds up the parts to totals, since SQLite knows no time zones.
func (q UsageQuery) merge(parts []totalRow) []UsageTotal {
	zone, days := cmp.Or(q.Zone, time.UTC), slices.Contains(q.By, UsageByDay)
	sums := map[UsageTotal]UsageTotal{} // the sums, by the fields of their group
	for _, p := range parts {
		if days {
			p.Day = fromMillis(p.quarter * quarterHour).In(zone).Format(time.DateOnly)
		}
		key := UsageTotal{User: p.User, Conversation: p.Conversation, Model: p.Model, Purpose: p.Purpose, Day: p.Day}
		sums[key] = p.plus(sums[key])
	}
	return slices.SortedFunc(maps.Values(sums), compareTotals)
}

// plus returns the sum of t and more.
func (t UsageTotal) plus(more UsageTotal) UsageTotal {
	t.Calls += more.Calls
	t.Failed += more.Failed
	t.Usage = t.Usage.Add(more.Usage)
	t.Cost += more.Cost
	t.Unpriced += more.Unpriced
	return t
}

func compareTotals(a, b UsageTotal) int {
	return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Usage.Input+b.Usage.Output, a.Usage.Input+a.Usage.Output),
		cmp.Compare(a.Day, b.Day), cmp.Compare(a.User, b.User), cmp.Compare(a.Conversation, b.Conversation),
		cmp.Compare(a.Model, b.Model), cmp.Compare(a.Purpose, b.Purpose))
}

// SumByDay returns a user's usage of each day from since to today. It includes days without usage.
// The user "" means all users. A nil zone means UTC.
func (s Usage) SumByDay(ctx context.Context, user string, since time.Time, zone *time.Location) ([]UsageTotal, error) {
	zone = cmp.Or(zone, time.UTC)
	y, m, d := since.In(zone).Date()
	// noon exists on every day, even when clocks change
	at := time.Date(y, m, d, 12, 0, 0, 0, zone)
	// Usage is read from noon of the day before, so that the first day is complete.
	before := at.Add(-24 * time.Hour)
	totals, err := s.Sum(ctx, UsageQuery{User: user, From: before, By: []UsageDimension{UsageByDay}, Zone: zone})
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
