package app

import (
	"context"
	"slices"
	"strconv"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
)

// jobModel is the whole name of a model that a person wants for a job.
func (s *service) jobModel(user, spec string) (string, error) {
	choice, err := s.models.Resolve(spec)
	switch {
	case err != nil:
		return "", err
	case !s.modelChoice().May(user, choice.Spec):
		return "", supervisor.Errorf(supervisor.CodeForbidden, textJobModel, choice.Spec)
	}
	return choice.Spec, nil
}

// jobBudget is what a person's jobs may cost.
func (s *service) jobBudget(user string) supervisor.Budget {
	cfg := s.configuration.Current()
	jobs := cfg.Budget.Users.Jobs // of who was added
	if i := slices.IndexFunc(cfg.Users, func(u config.User) bool { return u.Name == user }); i >= 0 {
		jobs = cfg.Users[i].Budget.Jobs
	}
	return supervisor.Budget{Turn: jobs.Run.Micro, Day: jobs.Day.Micro, Month: jobs.Month.Micro}
}

// jobOf is the job whose turn a turn is, where it is one.
func (s *service) jobOf(ctx context.Context, t supervisor.Turn) (j supervisor.Job, found bool, err error) {
	id, err := strconv.ParseInt(t.Conversation.Chat, 10, 64)
	if t.Kind != supervisor.TurnJob || err != nil {
		return j, false, nil
	}
	return s.db.Jobs().Find(ctx, t.Conversation.User, id)
}

// modelOf is the model of a person's turn: of a job its own, the small one of what looks or is
// built in, else that which answers the person.
func (s *service) modelOf(ctx context.Context, t supervisor.Turn) (string, error) {
	choice := s.modelChoice()
	j, found, err := s.jobOf(ctx, t)
	switch own := j.Options.Model; {
	case err != nil:
		return "", err
	case found && own != "" && choice.May(j.User, own):
		return own, nil
	case found && j.Kind != supervisor.JobAgent:
		return s.models.Small(), nil
	}
	spec, _, err := choice.Choice(ctx, t.Conversation.User)
	return spec, err
}

// limitsOf are those of a job's turn. It may have fewer or more steps and minutes than jobs have,
// but no more than any turn.
func (s *service) limitsOf(ctx context.Context, t supervisor.Turn) protocol.TurnLimits {
	most, usual := limits(s.config), jobLimits(s.config)
	j, _, err := s.jobOf(ctx, t)
	if err != nil { // the usual ones do
		s.log.Error("find the limits of a job", "user", t.Conversation.User, "error", err)
	}
	if n := j.Options.Steps; n > 0 {
		usual.Steps = min(n, most.Steps)
	}
	if n := j.Options.Minutes; n > 0 {
		usual.Seconds = min(int64(n)*60, most.Seconds)
	}
	return usual
}
