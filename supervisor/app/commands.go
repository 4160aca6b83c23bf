package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mews/config"
	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/admin"
	"mews/supervisor/api"
	"mews/supervisor/command"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
	"mews/supervisor/session"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// chatCommands is what of the service people see to in the chat.
type chatCommands struct{ *service }

// commandOptions are what the commands work on.
func (s chatCommands) commandOptions(sessions *session.Registry, report api.StatusReporter) command.Options {
	return command.Options{
		Store: s.db.Inbox(), Outbox: s.db.Outbox(), Sessions: sessions, Topics: s.db.Transcript(), Undelivered: s.db.Outbox(),
		Models: s.modelCommands(), Choices: s.modelCommands(), Usages: s.modelCommands(), Budgets: s.settings,
		Effects: s.db.Effects(), Pictures: pictures{s.spool},
		Questions: s.asked, Cleanings: s.db.Cleanings(), Approver: newApprover(s.service), Locks: locks{s.db.Access()}, Groups: groups{s.configuration},
		Invites: invites{s.configuration, s.spool, s.botName, s.now}, Grants: s.db.Grants(),
		Settings: chatSettings{s.settings}, Uploads: uploads(s),
		Features: rows(s.features, commandRows), Hidden: s.hiddenGroups(), Manual: s.manual,
		People: s.settings, OfferZone: s.schedule.Chat.OfferZone,
		Tools: personsTools(s), OpenedTools: s.db.OpenedTools(),
		Begin: s.beginWith, Drop: s.drop, Anew: s.answerAnew, Queue: queue{s.db.Inbox(), s.service}, Now: s.now, Audit: s.audit.Note, Status: s.statusText(report), Welcome: report.Welcome, Queued: s.deliveryQueued,
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

// locks are people's gates, for /lock.
type locks struct{ sqlite.Access }

func (l locks) Guarded(ctx context.Context, user string) (bool, error) {
	f, known, err := l.Factors.Find(ctx, user)
	return known && f.Confirmed, err
}

func (l locks) Close(ctx context.Context, c supervisor.Conversation) error {
	return l.Logins.Close(ctx, c.User, c.Channel, c.Chat)
}

func (l locks) CloseAll(ctx context.Context, user string) (int64, error) {
	return l.Logins.CloseAll(ctx, user)
}

// groups are where people may speak together, for /allow and /disallow.
type groups struct{ *configuration }

func (g groups) Allow(ctx context.Context, c supervisor.Conversation) error {
	if err := g.Store.Groups.Allow(ctx, sqlite.Group{Channel: c.Channel, Chat: c.Chat}); err != nil {
		return err
	}
	return g.Refresh(ctx)
}

func (g groups) Disallow(ctx context.Context, c supervisor.Conversation) (stays bool, err error) {
	if _, err := g.Store.Groups.Disallow(ctx, sqlite.Group{Channel: c.Channel, Chat: c.Chat}); err != nil {
		return false, err
	}
	err = g.Refresh(ctx)
	return g.People.GroupAllowed(c.Channel, c.Chat), err
}

// invites let people in, for /invite.
type invites struct {
	configuration *configuration
	spool         *spool.Spool
	bot           func() string // its name on Telegram; "" where that is not known
	now           func() time.Time
}

// Check says why nobody of that name can be invited.
func (i invites) Check(ctx context.Context, name string) error {
	_, known := i.configuration.People.Find(name)
	switch {
	case i.configuration.People.Suspended(name):
		return &supervisor.Error{Code: supervisor.CodeForbidden, Message: fmt.Sprintf(
			textInviteSuspended, name, name)}
	case known:
		return nil
	}
	cfg := i.configuration.Current()
	err := cfg.CheckAdded(
		config.User{Name: name, Role: string(supervisor.RoleUser), Home: i.configuration.Facts().HomeOf(name)},
	)
	if err != nil {
		return supervisor.Errorf(supervisor.CodeInvalid, textCantInvite, name, err)
	}
	return admin.Unclaimed(ctx, i.configuration.Store.People, i.configuration.Facts(), name)
}

// Invite makes a code for a person, who is added where nobody knows them.
func (i invites) Invite(ctx context.Context, name string) (made command.Invitation, err error) {
	user, known := i.configuration.People.Find(name)
	if !known {
		if err := i.configuration.Store.People.Add(ctx, supervisor.User{Name: name, Role: supervisor.RoleUser}); err != nil {
			return made, err
		}
		if err := i.configuration.Refresh(ctx); err != nil {
			return made, i.undo(ctx, name, err)
		}
		user, _ = i.configuration.People.Find(name)
	}
	if made, err = i.invite(ctx, user, !known); err != nil && !known {
		err = i.undo(ctx, name, err)
	}
	return made, err
}

// undo takes out somebody who was added for an invite that could not be made.
func (i invites) undo(ctx context.Context, name string, err error) error {
	_, left := i.configuration.Store.People.Remove(ctx, name)
	if left == nil {
		left = i.configuration.Refresh(ctx)
	}
	return errors.Join(err, left)
}

func (i invites) invite(ctx context.Context, user supervisor.User, added bool) (made command.Invitation, err error) {
	secret, digest := access.NewInvite()
	made = command.Invitation{Code: secret.Reveal(), Added: added, Lasts: admin.InviteLasts,
		Enrols: user.Codes == supervisor.CodesRequired, Botless: i.configuration.Facts().Botless()}
	if bot := strings.TrimPrefix(i.bot(), "@"); bot != "" {
		made.Link = "https://t.me/" + bot + "?start=" + made.Code
		file, err := i.picture(made.Link, user.Name)
		if err != nil {
			return made, err
		}
		made.Files = append(made.Files, file)
	}
	err = i.configuration.Store.Invites.Put(ctx, sqlite.Invite{
		Digest: digest, User: user.Name, ExpiresAt: i.now().Add(admin.InviteLasts), Enrol: made.Enrols,
	})
	return made, err
}

func (i invites) picture(link, name string) (supervisor.File, error) {
	png, err := access.QRCode(link, access.QRCodeWidth)
	if err != nil {
		return supervisor.File{}, err
	}
	return pictures{i.spool}.Keep("invite-"+name+".png", png)
}

// personal is what /status tells of the gate and the budget of whoever asks, a line each.
func (s chatCommands) personal(ctx context.Context, c supervisor.Conversation) (string, error) {
	var lines []string
	gate, err := s.gateLine(ctx, c)
	if err != nil {
		return "", err
	}
	lines = append(lines, "gate    "+gate)
	held, err := s.db.Inbox().Held(ctx, c.User)
	if err != nil {
		return "", err
	}
	if held > 0 {
		lines = append(
			lines,
			fmt.Sprintf("held    %s until you send a code", amount.Plural(int(held), "message", "messages")),
		)
	}
	left, err := s.settings.Left(ctx, c.User)
	if err != nil {
		return "", err
	}
	var budgets []string
	for _, a := range left {
		budgets = append(budgets, a.String())
	}
	if len(budgets) > 0 {
		lines = append(lines, "budget  "+strings.Join(budgets, ", "))
	}
	return strings.Join(lines, "\n"), nil
}

const (
	terminalsTimeout = 2 * time.Second // for a worker to say what runs in it
	maxTerminals     = 20              // that are told of; a worker opens fewer
)

// terminals are a line for each of a person's whose program runs now, also when the turn that
// opened it has ended. Their worker alone knows: they end by themselves, and all of them with it.
func (s chatCommands) terminals(ctx context.Context, user string) (lines string) {
	ctx, cancel := context.WithTimeout(ctx, terminalsTimeout)
	defer cancel()
	var list protocol.TerminalList
	if _, err := s.pool.Ask(ctx, user, protocol.MethodTerminals, nil, &list); err != nil {
		s.log.Warn("ask a worker for its terminals", "user", user, "error", err)
		return ""
	}
	for _, t := range list.Terminals[:min(len(list.Terminals), maxTerminals)] {
		lines += fmt.Sprintf("\nterminal  %d (%s) runs for %s", t.ID, markdown.QuoteName(t.Program),
			amount.Duration(time.Duration(t.Seconds)*time.Second))
	}
	return lines
}

// gateLine says whether the gate is open where somebody writes.
func (s chatCommands) gateLine(ctx context.Context, c supervisor.Conversation) (string, error) {
	store := s.db.Access()
	guarded, err := locks{store}.Guarded(ctx, c.User)
	if err != nil || !guarded {
		return "open; no second factor", err
	}
	login, _, err := store.Logins.FindLogin(ctx, c.User, c.Channel, c.Chat)
	limits := s.configuration.Current().Access
	now := s.now()
	if err != nil || !login.Open(now, limits.Session, limits.SessionMax) {
		return "locked", err
	}
	until := login.OpenedAt.Add(limits.SessionMax)
	if idle := login.UsedAt.Add(limits.Session); idle.Before(until) {
		until = idle
	}
	return fmt.Sprintf("open for another %s; /lock locks it", until.Sub(now).Round(time.Minute)), nil
}

// statusText is what /status answers.
func (s chatCommands) statusText(
	report api.StatusReporter,
) func(context.Context, supervisor.Conversation) (string, error) {
	return func(ctx context.Context, c supervisor.Conversation) (string, error) {
		text, err := report.Text(ctx, c)
		if err != nil || c.InGroup() {
			return text, err
		}
		own, err := s.personal(ctx, c)
		// where people are on their phones
		if text += "\n" + own + s.terminals(ctx, c.User); c.Channel.Can().Accounts {
			text = api.ListStatus(text)
		}
		return text, err
	}
}
