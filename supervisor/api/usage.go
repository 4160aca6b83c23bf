package api

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/usage"
)

// usageCalls answers calls about the use of models.
type usageCalls struct {
	sums usage.Calculator
	now  func() time.Time
}

// answer sums up the use of models. Only an admin sees the use of other users.
func (c usageCalls) answer(ctx context.Context, by feature.Caller, q UsageQuery) (r UsageReport, err error) {
	if q.Days < 1 || q.Days > MaxUsageDays {
		return r, supervisor.Errorf(supervisor.CodeInvalid, textDaysRange, MaxUsageDays)
	}
	name, err := resolveUser(by, q.User, "")
	if err != nil {
		return r, err
	}
	now := c.now()
	from := time.Date(now.Year(), now.Month(), now.Day()-q.Days+1, 0, 0, 0, 0, now.Location())
	if !q.Since.IsZero() {
		from = q.Since
	}
	r = UsageReport{User: name, From: from}
	if r.Models, err = c.lines(ctx, name, from, "model"); err == nil && name == "" {
		r.Users, err = c.lines(ctx, "", from, "user")
	}
	return r, err
}

// lines returns the sums as a list that is never nil, so that JSON has a list.
func (c usageCalls) lines(ctx context.Context, user string, from time.Time, by string) ([]usage.Line, error) {
	lines, err := c.sums.SumUsage(ctx, user, supervisor.TimeSpan{From: from}, by)
	return append([]usage.Line{}, lines...), err
}
