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

// MethodActivity is what the control socket answers to an ActivityQuestion with an ActivityReport.
// Anybody with an account may ask for their own; admins for counts of everybody's, and for
// somebody's, which is in the audit log then.
const MethodActivity = "activity"

// MaxActivity is how many rows are told at once.
const MaxActivity = 500

// ActivityQuestion asks what was done for people.
type ActivityQuestion struct {
	User  string    `json:"user,omitempty"` // "" is everybody for an admin, else whoever asks
	Since time.Time `json:"since,omitzero"`
	Kind  string    `json:"kind,omitempty"` // a group of kinds; "" is all
}

// ActivityReport is what was done: the newest MaxActivity rows for a person, oldest first, or
// counts for everybody.
type ActivityReport struct {
	User   string                   `json:"user,omitempty"` // "" is everybody
	Rows   []ActivityLine           `json:"rows,omitempty"`
	Older  bool                     `json:"older,omitempty"` // there are older ones
	Counts []supervisor.EffectCount `json:"counts,omitempty"`
}

// ActivityLine is one thing that was done.
type ActivityLine struct {
	At         time.Time           `json:"at"`
	Turn       int64               `json:"turn,omitempty"`
	Kind       string              `json:"kind"`
	Target     string              `json:"target"`
	Detail     string              `json:"detail"`
	ReportedBy supervisor.Reporter `json:"reported_by"`
	Text       string              `json:"text"` // all of it in words
}

// activityCalls tell what was done for people.
type activityCalls struct{ effects sqlite.Effects }

// answer tells what was done for a person, or how much was done for everybody.
func (c activityCalls) answer(ctx context.Context, by feature.Caller, q ActivityQuestion) (
	r ActivityReport, err error) {
	kinds := effect.KindsOf(q.Kind)
	if q.Kind != "" && kinds == nil {
		return r, supervisor.Errorf(supervisor.CodeInvalid, textNoActivityKind, q.Kind, effect.Groups())
	}
	if r.User, err = whose(by, q.User, "activity.read"); err != nil {
		return r, err
	}
	if r.User == "" {
		counts, err := c.effects.Count(ctx, q.Since, time.Time{})
		for _, count := range effect.ByGroup(counts) {
			if q.Kind == "" || count.Group == q.Kind {
				r.Counts = append(r.Counts, count)
			}
		}
		return r, err
	}
	list, err := c.effects.List(ctx, supervisor.EffectQuery{
		User: r.User, From: q.Since, Kinds: kinds, Limit: MaxActivity + 1,
	})
	r.Older = len(list) > MaxActivity
	for i := min(len(list), MaxActivity) - 1; i >= 0; i-- {
		e := list[i]
		r.Rows = append(r.Rows, ActivityLine{
			At: e.At, Turn: e.Turn, Kind: e.Kind, Target: e.Target, Detail: e.Detail,
			ReportedBy: e.ReportedBy, Text: effect.Words(e, nil),
		})
	}
	return r, err
}

// Text is what was done for a person, or how much was done for everybody, for people.
func (r ActivityReport) Text() string {
	var b strings.Builder
	if r.Older {
		fmt.Fprintf(&b, textOlderActivity, MaxActivity)
	}
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "%s  %-10s  %s\n", row.At.Local().Format("2006-01-02 15:04:05"), row.ReportedBy, row.Text)
	}
	if len(r.Counts) > 0 {
		rows := [][]string{{"USER", "KIND", "COUNT"}}
		for _, c := range r.Counts {
			rows = append(rows, []string{printable.Text(c.User), c.Group, fmt.Sprint(c.Count)})
		}
		b.WriteString(columns(rows))
	}
	return cmp.Or(b.String(), textNoActivity)
}
