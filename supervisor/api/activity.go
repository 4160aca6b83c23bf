package api

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/effect"
	"mews/supervisor/feature"
	"mews/supervisor/printable"
	"mews/supervisor/sqlite"
)

// MethodActivity is the method of the control socket for the activity of users. It takes an
// ActivityQuery and returns an ActivityReport. Every user may ask for their own activity. Admins
// may ask for the counts of all users, and for another user's activity. The audit log records a
// call about another user.
const MethodActivity = "activity"

// MaxActivityRows is the largest number of rows in an ActivityReport.
const MaxActivityRows = 500

// ActivityQuery are the parameters of a call for the activity of users.
type ActivityQuery struct {
	User  string    `json:"user,omitempty"` // "" means all users for an admin, otherwise the caller
	Since time.Time `json:"since,omitzero"`
	Kind  string    `json:"kind,omitempty"` // a group of kinds of effects; "" means all kinds
}

// ActivityReport is the activity of a user, or the counts of all users. For a user it has the
// newest MaxActivityRows rows, oldest first.
type ActivityReport struct {
	User   string                   `json:"user,omitempty"` // "" means all users
	Rows   []ActivityLine           `json:"rows,omitempty"`
	Older  bool                     `json:"older,omitempty"` // whether there are effects older than these
	Counts []supervisor.EffectCount `json:"counts,omitempty"`
}

// ActivityLine is one effect in a report.
type ActivityLine struct {
	At         time.Time                 `json:"at"`
	Turn       int64                     `json:"turn,omitempty"`
	Kind       string                    `json:"kind"`
	Target     string                    `json:"target"`
	Detail     string                    `json:"detail"`
	ReportedBy supervisor.EffectReporter `json:"reported_by"`
	Text       string                    `json:"text"` // the whole effect in words
}

// activityCalls answers calls about the activity of users.
type activityCalls struct{ effects sqlite.Effects }

// answer returns the activity of a user, or the counts of all users.
func (c activityCalls) answer(ctx context.Context, by feature.Caller, q ActivityQuery) (
	r ActivityReport, err error) {
	kinds := effect.GroupKinds(q.Kind)
	if q.Kind != "" && kinds == nil {
		return r, supervisor.Errorf(supervisor.CodeInvalid, textNoActivityKind, q.Kind, effect.Groups())
	}
	if r.User, err = resolveUser(by, q.User, "activity.read"); err != nil {
		return r, err
	}
	if r.User == "" {
		counts, err := c.effects.Count(ctx, q.Since, time.Time{})
		for _, count := range effect.SumByGroup(counts) {
			if q.Kind == "" || count.Group == q.Kind {
				r.Counts = append(r.Counts, count)
			}
		}
		return r, err
	}
	list, err := c.effects.List(ctx, supervisor.EffectQuery{
		User: r.User, From: q.Since, Kinds: kinds, Limit: MaxActivityRows + 1,
	})
	r.Older = len(list) > MaxActivityRows
	for i := min(len(list), MaxActivityRows) - 1; i >= 0; i-- {
		e := list[i]
		r.Rows = append(r.Rows, ActivityLine{
			At: e.At, Turn: e.Turn, Kind: e.Kind, Target: e.Target, Detail: e.Detail,
			ReportedBy: e.ReportedBy, Text: effect.Describe(e, nil),
		})
	}
	return r, err
}

// Text returns the activity for people.
func (r ActivityReport) Text() string {
	var b strings.Builder
	if r.Older {
		fmt.Fprintf(&b, textOlderActivity, MaxActivityRows)
	}
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "%s  %-10s  %s\n", row.At.Local().Format("2006-01-02 15:04:05"), row.ReportedBy, row.Text)
	}
	if len(r.Counts) > 0 {
		rows := [][]string{{"USER", "KIND", "COUNT"}}
		for _, c := range r.Counts {
			rows = append(rows, []string{printable.DropControls(c.User), c.Group, fmt.Sprint(c.Count)})
		}
		b.WriteString(columns(rows))
	}
	return cmp.Or(b.String(), textNoActivity)
}
