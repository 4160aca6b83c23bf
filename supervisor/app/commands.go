package app

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/admin"
	"mews/supervisor/api"
	"mews/supervisor/command"
	"mews/supervisor/feature"
	"mews/supervisor/session"
	"mews/supervisor/sqlite"
	"mews/supervisor/users"
)

// chatCommands connects the slash commands with the service.
type chatCommands struct{ *service }

// commandOptions returns the dependencies of the slash commands.
func (s chatCommands) commandOptions(sessions *session.Registry, report api.StatusReporter) command.Options {
	queue := s.queue()
	return command.Options{
		Store: s.db.Inbox(), Outbox: s.db.Outbox(), Sessions: sessions, Topics: s.db.Transcript(), Resender: s.db.Outbox(),
		Models: s.modelCommands(), Choices: s.modelCommands(), Usages: s.modelCommands(), Budgets: s.settings,
		Effects: s.db.Effects(), Pictures: generatedFileStore{s.spool},
		Questions: s.questions, Cleanings: s.db.MessageCleanups(), Approver: newApprover(s.service),
		PrivateAnswers: s.db.Outbox(),
		Locks:          sqlite.Gates{UserAccessStores: s.db.UserAccessStores()},
		Groups:         users.Groups{Loader: s.configuration.Loader, Changed: s.recordGroup},
		Invites:        s.inviter(), Grants: s.db.Grants(),
		Settings: chatSettings{s.settings}, Uploads: s.uploads(),
		Features: collect(s.features, commandRows), Hidden: s.hiddenGroups(), Manual: s.manual,
		People: s.settings, OfferZone: s.schedule.Chat.OfferTimezoneMove,
		Tools: userTools(s), OpenedTools: s.db.OpenedTools(),
		Begin: queue.QueueCommandText, Drop: queue.DropMessagesBefore, AnswerAgain: queue.QueueEditedText,
		RetryTurn: queue.RetryTurn, Queue: queue,
		Now: s.now, Audit: s.audit.RecordAction, Status: s.ownStatus(report).Text, Welcome: report.WelcomeText,
		Queued: s.deliveryQueued,
		Doctor: s.doctorReport,
		Log:    s.log.Named("command"),
	}
}

// doctorReport runs the doctor, and returns its report in JSON.
func (s *service) doctorReport(ctx context.Context) (string, error) {
	found, err := s.admins.Diagnose(ctx, admin.DiagnoseRequest{Doctor: true, JSON: true})
	return found.Found, err
}

// hiddenGroups lists the groups of commands that this service can't use: GitHub's, if no repository
// is configured.
func (s chatCommands) hiddenGroups() []feature.HelpGroup {
	if len(s.config.GitHub.Repos) == 0 {
		return []feature.HelpGroup{feature.HelpGroupGitHub}
	}
	return nil
}

// queue returns the queue of waiting messages. It works before the sessions and the receiver of
// files exist.
func (s *service) queue() session.Queue {
	return session.Queue{Inbox: s.db.Inbox(), WakeSession: func(c supervisor.Conversation) { s.sessions.WakeSession(c) },
		WakeFiles: func() { s.attachments.Wake() }}
}
