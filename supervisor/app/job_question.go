package app

import (
	"context"
	"fmt"

	"mews/protocol"
	"mews/supervisor/control"
	"mews/supervisor/schedule"
)

// MethodJob is what the control socket answers to a JobQuestion with a schedule.Report. Anybody
// with an account may ask of their own; admins of somebody's, which is in the audit log then.
const MethodJob = "job"

// JobQuestion is about the jobs of a person.
type JobQuestion struct {
	User string `json:"user,omitempty"` // "" is whoever asks
	schedule.Question
}

// jobMethods answers `mews job` over the control socket.
type jobMethods struct{ *service }

func (q jobMethods) answer(ctx context.Context, uid uint32, req *protocol.Request) (any, error) {
	var p JobQuestion
	if err := req.Decode(&p); err != nil {
		return nil, err
	}
	whose, err := q.people.Speaker(uid, p.User)
	if err != nil {
		return nil, err
	}
	user, known := q.settings.Find(whose.Name)
	if !known {
		user = whose
	}
	if own, err := q.people.Speaker(uid, ""); err != nil || own.Name != user.Name {
		q.audit.Note(user.Name, "job."+p.Action, fmt.Sprintf("by uid %d", uid))
	}
	return q.schedule.Answer(ctx, user, p.Question)
}

// answers are the methods by name.
func (q jobMethods) answers() map[string]control.Method {
	return map[string]control.Method{MethodJob: q.answer}
}
