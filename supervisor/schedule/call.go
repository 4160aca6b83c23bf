package schedule

import (
	"context"

	"mews/supervisor/feature"
)

// MethodJob is what the control socket answers to a Question with a Report. Anybody with an account
// may ask of their own; admins of somebody's, which is in the audit log then.
const MethodJob = "job"

// answerCall answers `mews job` with what the person has set for themselves.
func (qs *Questions) answerCall(ctx context.Context, by feature.Caller, q Question) (r Report, err error) {
	user, err := by.UserFor(q.User, "job."+q.Action)
	if err != nil {
		return r, err
	}
	if set, _ := qs.person(user.Name); set.Name != "" {
		user = set
	}
	return qs.Answer(ctx, user, q)
}
