package app

import (
	"context"

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
		Conversations: s.db.Conversations(), Allowed: func(c supervisor.Conversation) bool { return s.people.GroupAllowed(c.Channel, c.Chat) },
		Approve: s.approveJob, Ask: asker{s}.Ask, Model: s.jobModel, Budget: s.jobBudget, Limits: func() protocol.TurnLimits { return limits(s.config) },
		Digests: s.db.Jobs(), ListFiles: s.homeFiles,
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

// homeFiles is schedule.ListFiles, by what the index has.
func (s *service) homeFiles(ctx context.Context, user string) ([]supervisor.HomeFile, error) {
	list, err := s.index.ListFiles(ctx, user)
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
