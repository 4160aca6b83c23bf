package app

import (
	"context"
	"errors"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/check"
	"mews/supervisor/filereminder"
	"mews/supervisor/problem"
	"mews/supervisor/routine"
	"mews/supervisor/schedule"
	"mews/supervisor/todo"
	"mews/supervisor/webtools"
)

// newSchedule makes the feature for reminders, tasks and checks.
func (s *service) newSchedule() *schedule.Schedule {
	return schedule.New(schedule.Options{
		Store: s.db.Jobs(), Queue: s.db.Jobs(), Queued: s.deliveryQueued, Now: s.now, Log: s.log.Named("schedule"),
		Person:    s.activeUser,
		StartTurn: func(in supervisor.Inbound) { s.sessions.WakeSession(in.Conversation) }, Sources: s.db.Jobs(),
		Foreign:    func(ctx context.Context, turn int64) (string, error) { return s.foreignWords(ctx, turn, true) },
		CheckStore: s.db.Jobs(), RoutineTimes: s.routines.ValidateTimes, Tools: s.routines.Tools(),
		Checks: map[supervisor.JobKind]schedule.CheckFunc{
			supervisor.JobCheck: check.New(check.Options{Check: s.operations.CheckCondition,
				Fetch: s.egress.Fetch}).EvaluateCheck,
			supervisor.JobRoutine: s.routines.RunDueRoutine,
		},
		CheckRules: schedule.CheckParser{Parse: check.ParseCondition, Typed: check.ValidateFlags,
			Text: check.DescribeCondition, Names: webtools.NamesAddress},
		Watches: []schedule.EventTrigger{{Next: s.routines.NextHomeCheck, Run: s.routines.CheckChangedHomes},
			{Next: s.reminders.NextDue, Run: s.reminders.SendDue}},
		Translate:     s.translateTime,
		Command:       s.db.Inbox().Find,
		Conversations: s.db.Conversations(),
		GroupTitle:    s.groupTitles().Find,
		MaySpeakIn:    func(c supervisor.Conversation) bool { return s.people.IsGroupAllowed(c.Channel, c.Chat) },
		Approve:       newApprover(s).Allow, Ask: questionAsker{s}.Ask, Model: s.resolveJobModel, Budget: s.jobBudget,
		Limits: func() protocol.TurnLimits { return turnLimits(s.config) },
	})
}

// translateTime lets the small model of a user read a time in their words.
func (s *service) translateTime(ctx context.Context, c supervisor.Conversation, words string, withText bool,
	now time.Time) (when, text string, err error) {
	translator := schedule.TimeTranslator{Complete: s.models.Complete, Pay: s.payer().PayCall,
		Model: s.smallModel}
	when, text, err = translator.Translate(ctx, c, words, withText, now)
	if err != nil && !errors.Is(err, schedule.ErrNoTime) {
		s.log.Info("a time was not translated", "user", c.User, "error", problem.UserText(err))
	}
	return when, text, err
}

// newRoutines makes the built-in jobs. A routine is off until its user turns it on.
func (s *service) newRoutines() *routine.Routines {
	return routine.New(routine.Options{
		Store: s.db.Jobs(), FileEffects: s.db.Effects(), IndexHomeNow: s.operations.IndexHomeNow,
		Changes: s.index.ListHomeFileChanges,
		Jobs:    func() routine.JobScheduler { return s.schedule }, SetRule: schedule.SetRule,
		ValidatePeriod: schedule.ValidatePeriod, DescribeTimes: schedule.DescribeTimes,
		Person: s.activeUser, Check: s.operations.CheckCondition, InForce: s.promptInForce, ListFiles: s.homeFiles,
		Agenda: s.reminders.ListAgenda,
		Now:    s.now,
		Log:    s.log.Named("routine"),
	})
}

// newReminders makes the feature that reminds of to-dos and events.
func (s *service) newReminders() *filereminder.Reminders {
	return filereminder.New(filereminder.Options{Store: s.db.FileReminders(), Person: s.activeUser,
		Users: s.people.Names, Agenda: s.operations.ListAgenda, Subscribed: s.subscribedCalendars,
		Queued:      s.deliveryQueued,
		TodoButtons: todo.ReminderButtons, Commands: []string{"/todo", "/calendar"},
		Wake: func() { s.schedule.WakeLoop() }, Now: s.now, Log: s.log.Named("reminders")})
}

// activeUser returns a user with their settings, and whether they are active.
func (s *service) activeUser(name string) (supervisor.User, bool) {
	user, known := s.settings.Find(name)
	return user, known && s.isActive(name)
}

// homeFiles lists the files of a user's home, from the index.
func (s *service) homeFiles(ctx context.Context, user string) ([]supervisor.HomeFile, error) {
	list, err := s.index.ListFiles(ctx, user)
	files := make([]supervisor.HomeFile, len(list))
	for i, f := range list {
		files[i] = supervisor.HomeFile{Path: f.Path, Modified: f.Modified}
	}
	return files, err
}

// promptInForce returns the approved text of a prompt file. If the file has changed, the user's
// private chat shows the change for approval.
func (s *service) promptInForce(ctx context.Context, user string, seen protocol.PromptFile) ([]byte, error) {
	text, told, err := s.db.PromptFiles().RecordState(ctx, user, seen, s.privateChat(user))
	if told != 0 {
		s.deliveryQueued(told)
	}
	return text, err
}
