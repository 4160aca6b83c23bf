package app

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
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
	})
	return nil
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
