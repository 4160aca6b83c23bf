package app

import (
	"context"
	"fmt"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/control"
	"mews/supervisor/usage"
)

// usageMethods answers `mews models` and `mews usage` over the control socket.
type usageMethods struct {
	modelCommands
	people *access.People
	now    func() time.Time
}

func (q usageMethods) answers() map[string]control.Method {
	return map[string]control.Method{MethodModels: q.answerModels, MethodUsage: q.answerUsage}
}

// answerModels says which models there are, and which answers whoever asks.
func (q usageMethods) answerModels(ctx context.Context, uid uint32, req *protocol.Request) (any, error) {
	if err := req.Decode(nil); err != nil {
		return nil, err
	}
	inUse := ""
	user, err := q.people.Speaker(uid, "")
	switch {
	case err == nil:
		if inUse, _, err = q.Choice(ctx, user.Name); err != nil {
			return nil, err
		}
	case !q.people.Admin(uid):
		return nil, err
	}
	var report ModelsReport
	for _, o := range q.Offers(ctx) {
		if o.Err != "" {
			report.Silent = append(report.Silent, SilentLine{Provider: o.Spec, Why: o.Err})
			continue
		}
		report.Models = append(report.Models, ModelLine{Spec: o.Spec, InUse: o.Spec == inUse, Default: o.Default})
	}
	return report, nil
}

// answerUsage sums what was asked of models. Only an admin sees what others did.
func (q usageMethods) answerUsage(ctx context.Context, uid uint32, req *protocol.Request) (any, error) {
	var p UsageQuestion
	if err := req.Decode(&p); err != nil {
		return nil, err
	}
	if p.Days < 1 || p.Days > MaxDays {
		return nil, &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(textDaysRange, MaxDays)}
	}
	name, err := q.whose(uid, p.User)
	if err != nil {
		return nil, err
	}
	now := q.now()
	from := time.Date(now.Year(), now.Month(), now.Day()-p.Days+1, 0, 0, 0, 0, now.Location())
	report := UsageReport{User: name, From: from}
	if report.Models, err = q.lines(ctx, name, from, "model"); err == nil && name == "" {
		report.Users, err = q.lines(ctx, "", from, "user")
	}
	return report, err
}

// whose is the user whose usage a process may be told: "" is everybody's, which is an admin's to
// know.
func (q usageMethods) whose(uid uint32, name string) (string, error) {
	if name == "" && q.people.Admin(uid) {
		return "", nil
	}
	user, err := q.people.Speaker(uid, name)
	return user.Name, err
}

// lines are never nil, so that a program reads a list.
func (q usageMethods) lines(ctx context.Context, user string, from time.Time, by string) ([]usage.Line, error) {
	lines, err := q.Usage(ctx, user, from, by)
	return append([]usage.Line{}, lines...), err
}
