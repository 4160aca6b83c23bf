package app

import (
	"context"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/check"
	"mews/supervisor/routine"
	"mews/supervisor/schedule"
)

// newSchedule makes what does things without being asked for again.
func (s *service) newSchedule() *schedule.Schedule {
	return schedule.New(schedule.Options{
		Store: s.db.Jobs(), Queue: s.db.Jobs(), Queued: s.deliveryQueued, Now: s.now, Log: s.log.Named("schedule"),
		Person: s.activeUser,
		Begun:  func(in supervisor.Inbound) { s.sessions.Wake(in.Conversation) }, Sources: s.db.Jobs(),
		CheckStore: s.db.Jobs(), RoutineTimes: s.routines.CheckTimes, Tools: s.routines.Tools(),
		Checks: map[supervisor.JobKind]schedule.Check{
			supervisor.JobCheck:   check.New(check.Options{Check: s.operations.Look}).Check,
			supervisor.JobRoutine: s.routines.Check,
		},
		CheckRules:    schedule.CheckRules{Of: check.Of, Typed: check.Typed, Text: check.Text},
		Watches:       []schedule.Watch{{Next: s.routines.Next, Run: s.routines.CheckHomes}},
		Conversations: s.db.Conversations(),
		Allowed:       func(c supervisor.Conversation) bool { return s.people.GroupAllowed(c.Channel, c.Chat) },
		Approve:       newApprover(s).Allow, Ask: asker{s}.Ask, Model: s.resolveJobModel, Budget: s.jobBudget,
		Limits: func() protocol.TurnLimits { return turnLimits(s.config) },
	})
}

// newRoutines makes what is built in, and off until its person turns it on.
func (s *service) newRoutines() *routine.Routines {
	return routine.New(routine.Options{
		Store: s.db.Jobs(), FileEffects: s.db.Effects(), LookThroughHome: s.operations.LookThroughHome,
		Changes: s.index.Changes,
		Jobs:    func() routine.Jobs { return s.schedule }, SetRule: schedule.SetRule,
		CheckPeriod: schedule.CheckPeriod, Line: schedule.Line,
		Person: s.activeUser, Check: s.operations.Look, InForce: s.promptInForce, ListFiles: s.homeFiles, Now: s.now,
		Log: s.log.Named("routine"),
	})
}

// speaker is a person with what they have set, who may speak.
func (s *service) activeUser(name string) (supervisor.User, bool) {
	user, known := s.settings.Find(name)
	return user, known && s.isActive(name)
}

// homeFiles is ListFiles of routines, by what the index has.
func (s *service) homeFiles(ctx context.Context, user string) ([]supervisor.HomeFile, error) {
	list, err := s.index.ListFiles(ctx, user)
	files := make([]supervisor.HomeFile, len(list))
	for i, f := range list {
		files[i] = supervisor.HomeFile{Path: f.Path, Modified: f.Modified}
	}
	return files, err
}

// promptInForce is InForce of routines. What waits for the person is told in their private chat.
func (s *service) promptInForce(ctx context.Context, user string, seen protocol.PromptFile) ([]byte, error) {
	text, told, err := s.db.PromptFiles().Seen(ctx, user, seen, s.privateChat(user))
	if told != 0 {
		s.deliveryQueued(told)
	}
	return text, err
}
