package schedule

import (
	"context"

	"mews/supervisor/feature"
)

// MethodJob is the control socket's method that answers a JobRequest with a JobReport. Any user
// with an account may call it for their own jobs. An admin may call it for another user's jobs; the
// audit log records such a call.
const MethodJob = "job"

// answerCall answers `mews job`, for the caller or for the user that an admin names.
func (qs *JobRequests) answerCall(ctx context.Context, by feature.Caller, q JobRequest) (r JobReport, err error) {
	user, err := by.UserFor(q.User, "job."+q.Action)
	if err != nil {
		return r, err
	}
	self, err := by.UserFor("", "")
	q.byOther = err != nil || self.Name != user.Name
	if set, _ := qs.person(user.Name); set.Name != "" {
		user = set
	}
	return qs.Answer(ctx, user, q)
}
