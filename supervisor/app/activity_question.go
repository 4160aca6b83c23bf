package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/control"
	"mews/supervisor/effect"
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

// activityMethods answers `mews activity` over the control socket.
type activityMethods struct {
	effects sqlite.Effects
	people  *access.People
	audit   func(user, action, detail string)
}

func (q activityMethods) answer(ctx context.Context, uid uint32, req *protocol.Request) (any, error) {
	var p ActivityQuestion
	if err := req.Decode(&p); err != nil {
		return nil, err
	}
	kinds := effect.KindsOf(p.Kind)
	if p.Kind != "" && kinds == nil {
		return nil, supervisor.Errorf(supervisor.CodeInvalid, textNoActivityKind, p.Kind, effect.Groups())
	}
	name, err := usageMethods{people: q.people}.whose(uid, p.User)
	if err != nil {
		return nil, err
	}
	report := ActivityReport{User: name}
	if name == "" {
		counts, err := q.effects.Count(ctx, p.Since, time.Time{})
		for _, c := range effect.ByGroup(counts) {
			if p.Kind == "" || c.Group == p.Kind {
				report.Counts = append(report.Counts, c)
			}
		}
		return report, err
	}
	if own, err := q.people.Speaker(uid, ""); err != nil || own.Name != name {
		q.audit(name, "activity.read", fmt.Sprintf("by uid %d", uid))
	}
	list, err := q.effects.List(ctx, supervisor.EffectQuery{User: name, From: p.Since, Kinds: kinds, Limit: MaxActivity + 1})
	report.Older = len(list) > MaxActivity
	for i := min(len(list), MaxActivity) - 1; i >= 0; i-- {
		e := list[i]
		report.Rows = append(report.Rows, ActivityLine{At: e.At, Turn: e.Turn, Kind: e.Kind, Target: e.Target, Detail: e.Detail,
			ReportedBy: e.ReportedBy, Text: effect.Words(e, nil)})
	}
	return report, err
}

// answers are the methods by name.
func (q activityMethods) answers() map[string]control.Method {
	return map[string]control.Method{MethodActivity: q.answer}
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
