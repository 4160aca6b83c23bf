package app

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/api"
	"mews/supervisor/command"
	"mews/supervisor/feature"
	"mews/supervisor/session"
	"mews/supervisor/sqlite"
	"mews/supervisor/users"
)

// chatCommands is what of the service people see to in the chat.
type chatCommands struct{ *service }

// commandOptions are what the commands work on.
func (s chatCommands) commandOptions(sessions *session.Registry, report api.StatusReporter) command.Options {
	return command.Options{
		Store: s.db.Inbox(), Outbox: s.db.Outbox(), Sessions: sessions, Topics: s.db.Transcript(), Undelivered: s.db.Outbox(),
		Models: s.modelCommands(), Choices: s.modelCommands(), Usages: s.modelCommands(), Budgets: s.settings,
		Effects: s.db.Effects(), Pictures: pictures{s.spool},
		Questions: s.asked, Cleanings: s.db.Cleanings(), Approver: newApprover(s.service), Locks: sqlite.Locks{Access: s.db.Access()}, Groups: users.Groups{Loader: s.configuration.Loader},
		Invites: s.inviter(), Grants: s.db.Grants(),
		Settings: chatSettings{s.settings}, Uploads: s.uploads(),
		Features: rows(s.features, commandRows), Hidden: s.hiddenGroups(), Manual: s.manual,
		People: s.settings, OfferZone: s.schedule.OfferZone,
		Tools: personsTools(s), OpenedTools: s.db.OpenedTools(),
		Begin: s.beginWith, Drop: s.drop, Anew: s.answerAnew, Queue: queue{s.db.Inbox(), s.service}, Now: s.now, Audit: s.audit.Note, Status: s.ownStatus(report).Text, Welcome: report.Welcome, Queued: s.deliveryQueued,
		Log: s.log.Named("command"),
	}
}

// hiddenGroups are the groups of commands that have nothing to work on.
func (s chatCommands) hiddenGroups() []feature.Group {
	if len(s.config.GitHub.Repos) == 0 {
		return []feature.Group{feature.GroupGitHub}
	}
	return nil
}

// beginWith keeps a text that stood behind a command as one that a turn begins with.
func (s chatCommands) beginWith(ctx context.Context, c supervisor.Conversation, command int64, text string) error {
	_, _, err := s.db.Inbox().Put(ctx, supervisor.Inbound{Conversation: c, Source: "command", Key: fmt.Sprint(command),
		Kind: supervisor.KindText, Text: text})
	if err == nil {
		s.sessions.Wake(c)
	}
	return err
}

// answerAnew has an edited text be answered as it is now.
func (s chatCommands) answerAnew(ctx context.Context, press, edited int64) (bool, error) {
	in, ok, err := s.db.Inbox().AnswerAnew(ctx, press, edited)
	if ok {
		s.attachments.Wake()
		s.sessions.Wake(in.Conversation)
	}
	return ok, err
}

// drop drops what waits before a command.
func (s chatCommands) drop(ctx context.Context, command int64) (int, error) {
	dropped, err := s.db.Inbox().Drop(ctx, command)
	s.attachments.Wake()
	return len(dropped), err
}

// queue is what waits in conversations, for /queue.
type queue struct {
	sqlite.Inbox
	service *service
}

// Advance has a text be answered next, by its conversation's session or by the turn that runs.
func (q queue) Advance(ctx context.Context, user string, inbound int64) (supervisor.Inbound, bool, error) {
	in, ok, err := q.Inbox.Advance(ctx, user, inbound)
	if ok {
		q.service.sessions.Wake(in.Conversation)
	}
	return in, ok, err
}

// DropText drops a text, and ends what brings its files.
func (q queue) DropText(ctx context.Context, user string, inbound int64) (supervisor.Inbound, bool, error) {
	in, ok, err := q.Inbox.DropText(ctx, user, inbound)
	if ok {
		q.service.attachments.Wake()
		q.service.sessions.Wake(in.Conversation)
	}
	return in, ok, err
}
