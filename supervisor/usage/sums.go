package usage

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// Calculator sums up the use of models.
type Calculator struct {
	Store         sqlite.Usage
	Conversations sqlite.Conversations
	Free          func(spec string) bool // reports whether a model's calls count as free
}

// SumUsage returns a user's use of models in a span, with a line for each group. by is a
// sqlite.UsageDimension. The user "" means everybody.
func (s Calculator) SumUsage(ctx context.Context, user string, in supervisor.TimeSpan, by string) ([]Line, error) {
	dimensions := []sqlite.UsageDimension{sqlite.UsageDimension(by)}
	totals, err := s.Store.Sum(ctx, sqlite.UsageQuery{User: user, From: in.From, To: in.To, By: dimensions})
	lines := linesOf(totals)
	for i, t := range totals {
		lines[i].Free = t.Model != "" && s.Free(t.Model)
	}
	if err != nil || by != string(sqlite.UsageByConversation) {
		return lines, err
	}
	byModel, err := s.Store.Sum(ctx, sqlite.UsageQuery{User: user, From: in.From, To: in.To,
		By: append(dimensions, sqlite.UsageByModel)})
	if err != nil {
		return nil, err
	}
	for i, t := range totals {
		lines[i].Free = !slices.ContainsFunc(byModel, func(m sqlite.UsageTotal) bool {
			return m.Conversation == t.Conversation && !s.Free(m.Model)
		})
		c, known, err := s.Conversations.FindConversation(ctx, t.Conversation)
		if err != nil {
			return nil, err
		}
		lines[i].Name = nameOf(c, known)
	}
	return lines, nil
}

// SumUsageByModelAndDay returns a user's usage of each model on each day of a span. The earliest
// day comes first, and of one day the most expensive model.
func (s Calculator) SumUsageByModelAndDay(ctx context.Context, user string, in supervisor.TimeSpan,
	zone *time.Location) ([]DayLine, error) {
	totals, err := s.Store.Sum(ctx, sqlite.UsageQuery{User: user, From: in.From, To: in.To, Zone: zone,
		By: []sqlite.UsageDimension{sqlite.UsageByDay, sqlite.UsageByModel}})
	lines := make([]DayLine, len(totals))
	for i, line := range linesOf(totals) {
		line.Free = s.Free(line.Name)
		lines[i] = DayLine{Day: totals[i].Day, Line: line}
	}
	slices.SortStableFunc(lines, func(a, b DayLine) int { return cmp.Compare(a.Day, b.Day) })
	return lines, err
}

// SumDailyUsage returns a user's usage for each day since a time.
func (s Calculator) SumDailyUsage(ctx context.Context, user string, since time.Time, zone *time.Location) ([]Line,
	error) {
	totals, err := s.Store.SumByDay(ctx, user, since, zone)
	return linesOf(totals), err
}

func linesOf(totals []sqlite.UsageTotal) (lines []Line) {
	for _, t := range totals {
		lines = append(lines, Line{
			Name: cmp.Or(t.Model, t.User, t.Day), Calls: t.Calls, Input: t.Usage.Input, Output: t.Usage.Output,
			CacheRead: t.Usage.CacheRead, CacheWrite: t.Usage.CacheWrite, Cost: t.Cost, Unpriced: t.Unpriced,
			Estimated: t.Usage.Estimated,
		})
	}
	return lines
}

// nameOf returns a conversation's name for its user. Examples are "telegram", "telegram group
// -100123, topic 7" and "terminal work".
func nameOf(c supervisor.Conversation, known bool) string {
	if !known {
		return "no conversation"
	}
	name := string(c.Channel)
	switch {
	case c.IsInGroup():
		name += " group " + c.Chat
	case !c.Channel.Capabilities().NeedsAccount && c.Chat != "":
		name += " " + c.Chat
	}
	if c.Thread != "" {
		name += ", topic " + c.Thread
	}
	return name
}
