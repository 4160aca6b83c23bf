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

// JobTurnPolicy chooses the model of each turn, and limits the turns of jobs.
type JobTurnPolicy struct {
	Find   func(ctx context.Context, user string, id int64) (supervisor.Job, bool, error)
	Choice users.ModelChoice
	Small  func() string       // returns the name of the small model
	Limits protocol.TurnLimits // limits of every turn
	Log    hclog.Logger
}

// jobOf returns the job of a turn; found is false for a turn without a job.
func (j JobTurnPolicy) jobOf(ctx context.Context, t supervisor.Turn) (job supervisor.Job, found bool, err error) {
	id, err := strconv.ParseInt(t.Conversation.Chat, 10, 64)
	if t.Kind != supervisor.TurnJob || err != nil {
		return job, false, nil
	}
	return j.Find(ctx, t.Conversation.User, id)
}

// Model returns the model of a turn. A job's own model comes first. Checks and routines use the
// small model. All other turns use the model that the user chose.
func (j JobTurnPolicy) Model(ctx context.Context, t supervisor.Turn) (string, error) {
	job, found, err := j.jobOf(ctx, t)
	switch own := job.Options.Model; {
	case err != nil:
		return "", err
	case found && own != "" && j.Choice.MayChoose(job.User, own):
		return own, nil
	case found && job.Kind != supervisor.JobTask:
		return j.Small(), nil
	}
	spec, _, err := j.Choice.CurrentModel(ctx, t.Conversation.User)
	return spec, err
}

// TurnLimits returns the limits of a job's turn. A job may set its own steps and minutes, within
// the limits of every turn.
func (j JobTurnPolicy) TurnLimits(ctx context.Context, t supervisor.Turn) protocol.TurnLimits {
	most, usual := j.Limits, jobLimits(j.Limits)
	job, _, err := j.jobOf(ctx, t)
	if err != nil { // use the default limits
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

// Default limits of a job's turn.
const (
	jobSteps = 25
	jobTime  = 10 * time.Minute
)

// jobLimits lowers limits to the default of a job's turn.
func jobLimits(l protocol.TurnLimits) protocol.TurnLimits {
	l.Steps, l.Seconds = min(l.Steps, jobSteps), min(l.Seconds, int64(jobTime/time.Second))
	return l
}
