package app

import (
	"context"
	"strconv"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/schedule"
)

// openSchedule makes what does things without being asked for again.
func (s *service) openSchedule(context.Context) error {
	s.schedule = schedule.New(schedule.Options{
		Store: s.db.Jobs(), Queue: s.db.Jobs(), Queued: s.deliveryQueued, Now: s.now, Log: s.log.Named("schedule"),
		Person: func(name string) (supervisor.User, bool) {
			user, known := s.settings.Find(name)
			return user, known && s.active(name)
		},
		Begun: func(in supervisor.Inbound) { s.sessions.Wake(in.Conversation) }, Sources: s.db.Jobs(),
		Looks: s.db.Jobs(), Look: s.look, InForce: s.promptInForce,
		Places: s.db.Conversations(), Allowed: func(c supervisor.Conversation) bool { return s.people.GroupAllowed(c.Channel, c.Chat) },
		Approve: s.approveJob, Ask: asker{s}.Ask, Model: s.jobModel, Budget: s.jobBudget,
		Digests: s.db.Jobs(), Files: s.homeFiles,
		Homes: fileNotices{s}, FileEffects: s.db.Effects(),
	})
	return nil
}

// approveJob asks in the conversation of a request, which is made where there is none yet.
func (s *service) approveJob(ctx context.Context, r approval.Request) (err error) {
	if c := r.Conversation; c.ID == 0 {
		if r.Conversation, err = s.db.Conversations().Find(ctx, c.User, c.Channel, c.Chat, c.Thread); err != nil {
			return err
		}
	}
	return newApprover(s).Allow(ctx, r)
}

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

// jobBudget is what jobs may cost.
func (s *service) jobBudget() supervisor.Budget {
	jobs := s.configuration.Current().Budget.Jobs
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

// modelOf is the model of a person's turn: of a job its own, the small one of what looks or is built in, else that which answers the person.
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

// limitsOf are those of a job's turn. It may have fewer or more steps and minutes than jobs have, but no more than any turn.
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

// homeFiles is schedule.Files, by what the index has.
func (s *service) homeFiles(ctx context.Context, user string) ([]supervisor.HomeFile, error) {
	list, err := s.index.Manifest(ctx, user)
	files := make([]supervisor.HomeFile, len(list))
	for i, f := range list {
		files[i] = supervisor.HomeFile{Path: f.Path, Modified: f.Modified}
	}
	return files, err
}

// look is schedule.Looker. Where there is no worker, or it ends, the look may go well later.
func (s *service) look(ctx context.Context, user string, p protocol.LookParameters) (protocol.LookResult, error) {
	return s.operations.Look(ctx, user, p)
}

// promptInForce is schedule.InForce. What waits for the person is told in their private chat.
func (s *service) promptInForce(ctx context.Context, user string, seen protocol.PromptFile) ([]byte, error) {
	text, told, err := s.db.PromptFiles().Seen(ctx, user, seen, s.privateChat(user))
	if told != 0 {
		s.deliveryQueued(told)
	}
	return text, err
}

// jobCalls do what calls of tools about jobs say.
type jobCalls struct{ *service }

// Call is hostcall.Jobs'.
func (j jobCalls) Call(ctx context.Context, c supervisor.JobCall) (answer protocol.JobAnswer, err error) {
	in, _, err := j.db.Conversations().FindByID(ctx, c.Destination)
	if err != nil {
		return answer, err
	}
	return j.schedule.Call(ctx, c, in)
}
