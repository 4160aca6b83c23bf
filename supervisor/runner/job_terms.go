package runner

import (
	"context"
	"strconv"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/users"
)

// Jobs say which model a turn has, and how long it may take.
type JobTerms struct {
	Find   func(ctx context.Context, user string, id int64) (supervisor.Job, bool, error)
	Choice users.ModelChoice
	Small  func() string       // the small model
	Limits protocol.TurnLimits // of any turn
	Log    hclog.Logger
}

// jobOf is the job whose turn a turn is, where it is one.
func (j JobTerms) jobOf(ctx context.Context, t supervisor.Turn) (job supervisor.Job, found bool, err error) {
	id, err := strconv.ParseInt(t.Conversation.Chat, 10, 64)
	if t.Kind != supervisor.TurnJob || err != nil {
		return job, false, nil
	}
	return j.Find(ctx, t.Conversation.User, id)
}

// Model is the model of a person's turn: of a job its own, the small one of what looks or is
// built in, else that which answers the person.
func (j JobTerms) Model(ctx context.Context, t supervisor.Turn) (string, error) {
	job, found, err := j.jobOf(ctx, t)
	switch own := job.Options.Model; {
	case err != nil:
		return "", err
	case found && own != "" && j.Choice.May(job.User, own):
		return own, nil
	case found && job.Kind != supervisor.JobTask:
		return j.Small(), nil
	}
	spec, _, err := j.Choice.Choice(ctx, t.Conversation.User)
	return spec, err
}

// TurnLimits are those of a job's turn. It may have fewer or more steps and minutes than jobs have,
// but no more than any turn.
func (j JobTerms) TurnLimits(ctx context.Context, t supervisor.Turn) protocol.TurnLimits {
	most, usual := j.Limits, jobLimits(j.Limits)
	job, _, err := j.jobOf(ctx, t)
	if err != nil { // the usual ones do
		j.Log.Error("find the limits of a job", "user", t.Conversation.User, "error", err)
	}
	if n := job.Options.Steps; n > 0 {
		usual.Steps = min(n, most.Steps)
	}
	if n := job.Options.Minutes; n > 0 {
		usual.Seconds = min(int64(n)*60, most.Seconds)
	}
	return usual
}

// What the turn of a job may take.
const (
	jobSteps = 25
	jobTime  = 10 * time.Minute
)

func jobLimits(l protocol.TurnLimits) protocol.TurnLimits {
	l.Steps, l.Seconds = min(l.Steps, jobSteps), min(l.Seconds, int64(jobTime/time.Second))
	return l
}
