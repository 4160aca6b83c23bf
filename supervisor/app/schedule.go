package app

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/schedule"
)

// newSchedule makes what does things without being asked for again.
func (s *service) newSchedule() *schedule.Schedule {
	return schedule.New(schedule.Options{
		Store: s.db.Jobs(), Queue: s.db.Jobs(), Queued: s.deliveryQueued, Now: s.now, Log: s.log.Named("schedule"),
		Person: func(name string) (supervisor.User, bool) {
			user, known := s.settings.Find(name)
			return user, known && s.active(name)
		},
		Begun: func(in supervisor.Inbound) { s.sessions.Wake(in.Conversation) }, Sources: s.db.Jobs(),
		Looks: s.db.Jobs(), Look: s.operations.Look, InForce: s.promptInForce,
		Conversations: s.db.Conversations(), Allowed: func(c supervisor.Conversation) bool { return s.people.GroupAllowed(c.Channel, c.Chat) },
		Approve: newApprover(s).Allow, Ask: asker{s}.Ask, Model: s.jobModel, Budget: s.jobBudget, Limits: func() protocol.TurnLimits { return limits(s.config) },
		Digests: s.db.Jobs(), ListFiles: s.homeFiles,
		Homes: fileNotices{s}, FileEffects: s.db.Effects(),
	})
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

// promptInForce is schedule.InForce. What waits for the person is told in their private chat.
func (s *service) promptInForce(ctx context.Context, user string, seen protocol.PromptFile) ([]byte, error) {
	text, told, err := s.db.PromptFiles().Seen(ctx, user, seen, s.privateChat(user))
	if told != 0 {
		s.deliveryQueued(told)
	}
	return text, err
}
