package schedule

import (
	"context"

	"mews/supervisor/feature"
)

// MethodJob is the control socket's method that answers a JobRequest with a Report. Anybody with an
// account may call it for their own jobs. Admins may call it for other users; the audit log notes
// that.
const MethodJob = "job"

// answerCall answers `mews job`, for the caller or for the user that an admin names.
func (qs *Questions) answerCall(ctx context.Context, by feature.Caller, q JobRequest) (r Report, err error) {
	user, err := by.UserFor(q.User, "job."+q.Action)
	if err != nil {
		return r, err
	}
	if set, _ := qs.person(user.Name); set.Name != "" {
		user = set
	}
	return qs.Answer(ctx, user, q)
}
