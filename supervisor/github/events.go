package github

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/github/notice"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
	"mews/supervisor/sqlite"
)

// Reviews handles requests about pull requests. A repeated request changes nothing.
type Reviews interface {
	AddRequest(ctx context.Context, w supervisor.GitHubWorkRequest) error
	// MutePullRequest ends the automatic reviews of a pull request if the sender of a comment may
	// do that.
	MutePullRequest(ctx context.Context, repo string, of supervisor.GitHubEvent) error
}

// Triages handles requests about issues. A repeated request changes nothing.
type Triages interface {
	AddRequest(ctx context.Context, w supervisor.GitHubWorkRequest) error
}

// People finds the users of Mews.
type People interface {
	Find(name string) (supervisor.User, bool)
	Admins() []supervisor.User
	// FindByLogin returns the user with a login on GitHub; ok is false if there is none.
	FindByLogin(login string) (u supervisor.User, ok bool)
	// LoginOf returns a user's login on GitHub; "" if unknown.
	LoginOf(user string) string
}

// EventHandlerOptions configure an EventHandler.
type EventHandlerOptions struct {
	Repos []supervisor.GitHubRepo
	Self  func() string // returns Mews's login on GitHub; "" if unknown
	// Name returns the name by which comments address Mews, without the @; "" if unknown.
	Name       func() string
	Deliveries sqlite.WebhookDeliveries
	Store      sqlite.GitHubRepositories
	Cleanings  sqlite.MessageCleanups
	Switches   *ServiceSwitches
	Reviews    Reviews // handles requests about pull requests; nil means that reviews are off
	Triages    Triages // handles requests about issues; nil means that triage is off
	People     People
	Private    *SecurityAlertReaders // finds the readers of security alerts
	// how long an event waits for further events for the same message
	Gather time.Duration
	Queued func(conversation int64) // called after a delivery was put into an outbox; must not block
	Now    func() time.Time
	Log    hclog.Logger
}

// EventHandler handles the webhook deliveries about repositories. It requests reviews and triages,
// and sends notices.
type EventHandler struct {
	o       EventHandlerOptions
	changed chan struct{} // holds a token if a delivery was stored
}

// NewEventHandler returns an EventHandler. Its Run must be called.
func NewEventHandler(o EventHandlerOptions) *EventHandler {
	return &EventHandler{o, make(chan struct{}, 1)}
}

// Wake tells Run that a delivery was stored. It never blocks.
func (e *EventHandler) Wake() { signals.SendToken(e.changed) }

// Run handles deliveries and sends due notices until ctx ends. After a restart it continues, and
// still reports each event once.
func (e *EventHandler) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		retry.StoreUntilDone(ctx, e.o.Log, "work off what happened in repositories",
			func() (struct{}, error) { return struct{}{}, e.takeAll(ctx) })
		select {
		case <-ctx.Done():
		case <-e.changed:
		case <-time.After(e.tellDue(ctx)):
		}
	}
	return nil
}

// batch is the number of stored deliveries that are read at once.
const batch = 20

// takeAll handles the stored deliveries. A delivery with a permanent error counts as failed.
func (e *EventHandler) takeAll(ctx context.Context) error {
	for ctx.Err() == nil {
		list, err := e.o.Deliveries.ListNew(ctx, supervisor.WebhookSourceGitHub, batch)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, d := range list {
			err := e.take(ctx, d)
			if err != nil && retry.IsRefused(err) {
				e.o.Log.Error("work off a delivery of github", "delivery", d.ID, "error", err)
				err = e.o.Deliveries.EndDelivery(ctx, d.ID, supervisor.WebhookFailed, err.Error())
			}
			if err != nil {
				return fmt.Errorf("delivery %d: %w", d.ID, err)
			}
		}
	}
	return nil
}

// take handles one delivery. After a crash the delivery's requests may be repeated. Its notices and
// its end are stored in one transaction.
func (e *EventHandler) take(ctx context.Context, d supervisor.WebhookDelivery) error {
	repo, served := e.repo(d.Event.Repo)
	private, err := false, error(nil)
	if served {
		private, err = e.o.Private.isPrivate(ctx, d.Event)
	}
	if err != nil {
		return err
	}
	if !served || e.isOurs(d.Event) {
		return e.o.Store.PutEventNotices(ctx, d.ID, d.Event, sqlite.GitHubCheckNone, nil)
	}
	if err := e.request(ctx, repo, d.Event); err != nil {
		return err
	}
	check := sqlite.GitHubCheckNone
	switch failed, passed := notice.CheckRunResult(d.Event); {
	case failed:
		check = sqlite.GitHubCheckFailed
	case passed:
		check = sqlite.GitHubCheckPassed
	}
	notices, err := e.notices(ctx, repo, d.Event, private)
	if err != nil {
		return err
	}
	return e.o.Store.PutEventNotices(ctx, d.ID, d.Event, check, notices)
}

// repo returns the served repository with a name.
func (e *EventHandler) repo(name string) (supervisor.GitHubRepo, bool) {
	return findRepo(e.o.Repos, name)
}

func findRepo(repos []supervisor.GitHubRepo, name string) (supervisor.GitHubRepo, bool) {
	i := slices.IndexFunc(repos, func(r supervisor.GitHubRepo) bool { return r.Name == supervisor.NormalizeRepoName(name) })
	if i < 0 {
		return supervisor.GitHubRepo{}, false
	}
	return repos[i], true
}

// writtenEvents are the events that Mews's own writes cause. If Mews uses a user's token, that user
// has caused all other events of the account.
var writtenEvents = map[string]bool{"issue_comment": true, "commit_comment": true, "pull_request_review": true, "pull_request_review_comment": true}

// isOurs reports whether a program, Mews or another, caused an event. For checks and alerts it
// reports false, although programs cause them all.
func (e *EventHandler) isOurs(of supervisor.GitHubEvent) bool {
	failed, passed := notice.CheckRunResult(of)
	self := e.o.Self()
	return !failed && !passed && !notice.IsAlert(of) && (of.SenderBot || writtenEvents[of.Event] && self != "" &&
		strings.EqualFold(of.Sender, self))
}

// notices returns the notices about an event, one for each conversation. If private is true, only
// users who may write get one.
func (e *EventHandler) notices(ctx context.Context, repo supervisor.GitHubRepo, of supervisor.GitHubEvent,
	private bool) (list []sqlite.RepositoryNotice, err error) {
	key := notice.MessageKey(of)
	if key == "" {
		return nil, nil
	}
	readers := e.readers
	switch {
	case notice.IsReviewRequest(of):
		readers = e.asked
	case private:
		readers = e.privateReaders
	}
	chats, err := readers(ctx, repo, of)
	for _, c := range chats {
		list = append(list, sqlite.RepositoryNotice{Conversation: c, Repo: repo.Name, Key: key, Event: of, Due: e.o.Now().Add(e.o.Gather)})
	}
	return list, err
}

// readers returns the conversations that get notices about a repository.
func (e *EventHandler) readers(ctx context.Context, repo supervisor.GitHubRepo,
	_ supervisor.GitHubEvent) (chats []supervisor.Conversation, err error) {
	everybody, err := e.o.Switches.find(ctx, repo, ServiceNotices, everybody)
	if err != nil || isOff(everybody) {
		return nil, err
	}
	for _, r := range repo.Notify {
		if r.Chat != "" {
			chats = append(chats, supervisor.Conversation{User: repo.User, Channel: supervisor.GroupChannel(), Chat: r.Chat, Thread: r.Thread})
		}
	}
	for _, u := range e.o.Switches.readers(repo) {
		own, err := e.o.Switches.find(ctx, repo, ServiceNotices, u.Name)
		if err != nil {
			return nil, err
		}
		if own.On {
			chats = append(chats, u.PrivateChat())
		}
	}
	return chats, nil
}

// asked returns the private chats of the requested reviewers, except those who turned notices off.
func (e *EventHandler) asked(ctx context.Context, repo supervisor.GitHubRepo,
	of supervisor.GitHubEvent) (chats []supervisor.Conversation, err error) {
	for _, login := range of.Labels {
		u, known := e.o.People.FindByLogin(login)
		if !known {
			continue
		}
		own, err := e.o.Switches.find(ctx, repo, ServiceNotices, u.Name)
		if err != nil {
			return nil, err
		}
		if !isOff(own) {
			chats = append(chats, u.PrivateChat())
		}
	}
	return chats, nil
}
