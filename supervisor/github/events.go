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

// Reviews are what is done about pull requests. What is wanted again changes nothing.
type Reviews interface {
	Want(ctx context.Context, w supervisor.GitHubRequest) error
	// Stop has a pull request reviewed no more. It finds out whether login may say so.
	Stop(ctx context.Context, repo string, number int, login string) error
}

// Triages are what is done about issues. What is wanted again changes nothing.
type Triages interface {
	Want(ctx context.Context, w supervisor.GitHubRequest) error
}

// People are the users.
type People interface {
	Find(name string) (supervisor.User, bool)
	Admins() []supervisor.User
	// Login is whose a login on GitHub is; ok is false where it is nobody's here.
	Login(login string) (u supervisor.User, ok bool)
}

// EventsOptions are what Events work on.
type EventsOptions struct {
	Repos []supervisor.GitHubRepo
	Self  func() string // the login of Mews on GitHub; "" while that is not known
	// what people call it by in a comment, without the @; "" while that is not known
	Name       func() string
	Deliveries sqlite.WebhookDeliveries
	Store      sqlite.Repositories
	Cleanings  sqlite.Cleanings
	Switches   *Switches
	Reviews    Reviews // nil: nothing is reviewed
	Triages    Triages // nil: nothing is triaged
	People     People
	// how long what has happened waits for what is told together with it
	Gather time.Duration
	Queued func(conversation int64) // something was put into its outbox; never blocks
	Now    func() time.Time
	Log    hclog.Logger
}

// Events does what is to be done about what happens.
type Events struct {
	o       EventsOptions
	changed chan struct{} // holds a token when a delivery was kept
}

// NewEvents makes Events; Run does their work.
func NewEvents(o EventsOptions) *Events { return &Events{o, make(chan struct{}, 1)} }

// Wake says that a delivery was kept. It never blocks.
func (e *Events) Wake() { signals.Send(e.changed) }

// Run works off deliveries, and tells what is due, until ctx ends. Whatever cuts it off, the next
// Run goes on: each delivery is told of once.
func (e *Events) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		retry.Persist(ctx, e.o.Log, "work off what happened in repositories", func() (struct{}, error) { return struct{}{}, e.takeAll(ctx) })
		select {
		case <-ctx.Done():
		case <-e.changed:
		case <-time.After(e.tellDue(ctx)):
		}
	}
	return nil
}

// batch is how many deliveries are read at once.
const batch = 20

// takeAll works off the deliveries that there are. One with which something is wrong that stays so
// has failed.
func (e *Events) takeAll(ctx context.Context) error {
	for ctx.Err() == nil {
		list, err := e.o.Deliveries.ListNew(ctx, supervisor.WebhookGitHub, batch)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, d := range list {
			err := e.take(ctx, d)
			if err != nil && retry.Refused(err) {
				e.o.Log.Error("work off a delivery of github", "delivery", d.ID, "error", err)
				err = e.o.Deliveries.End(ctx, d.ID, supervisor.WebhookFailed, err.Error())
			}
			if err != nil {
				return fmt.Errorf("delivery %d: %w", d.ID, err)
			}
		}
	}
	return nil
}

// take does what is to be done about one delivery. What it wants may be wanted again after a crash;
// what it tells is kept together with that it is done with.
func (e *Events) take(ctx context.Context, d supervisor.WebhookDelivery) error {
	repo, served := e.repo(d.Event.Repo)
	if !served || e.isOurs(d.Event) {
		return e.o.Store.Take(ctx, d.ID, d.Event, sqlite.CheckNone, nil)
	}
	if err := e.request(ctx, repo, d.Event); err != nil {
		return err
	}
	check := sqlite.CheckNone
	switch failed, passed := notice.CheckState(d.Event); {
	case failed:
		check = sqlite.CheckFailed
	case passed:
		check = sqlite.CheckPassed
	}
	notices, err := e.notices(ctx, repo, d.Event)
	if err != nil {
		return err
	}
	return e.o.Store.Take(ctx, d.ID, d.Event, check, notices)
}

// repo is the repository of a name that is served.
func (e *Events) repo(name string) (supervisor.GitHubRepo, bool) { return findRepo(e.o.Repos, name) }

func findRepo(repos []supervisor.GitHubRepo, name string) (supervisor.GitHubRepo, bool) {
	i := slices.IndexFunc(repos, func(r supervisor.GitHubRepo) bool { return r.Name == supervisor.GitHubRepoName(name) })
	if i < 0 {
		return supervisor.GitHubRepo{}, false
	}
	return repos[i], true
}

// written are the events of what Mews writes on GitHub. The token may be a person's: all else that
// its account does is theirs.
var written = map[string]bool{"issue_comment": true, "commit_comment": true, "pull_request_review": true, "pull_request_review_comment": true}

// isOurs says whether an event is something that we have done, or another program. Checks are
// programs' own.
func (e *Events) isOurs(of supervisor.GitHubEvent) bool {
	failed, passed := notice.CheckState(of)
	self := e.o.Self()
	return !failed && !passed && (of.SenderBot || written[of.Event] && self != "" && strings.EqualFold(of.Sender, self))
}

// notices are what is told of an event, for each conversation that it is told in.
func (e *Events) notices(ctx context.Context, repo supervisor.GitHubRepo, of supervisor.GitHubEvent) (list []sqlite.RepositoryNotice, err error) {
	key := notice.Key(of)
	if key == "" {
		return nil, nil
	}
	readers := e.readers
	if notice.Asks(of) {
		readers = e.asked
	}
	chats, err := readers(ctx, repo, of)
	for _, c := range chats {
		list = append(list, sqlite.RepositoryNotice{Conversation: c, Repo: repo.Name, Key: key, Event: of, Due: e.o.Now().Add(e.o.Gather)})
	}
	return list, err
}

// readers are where an event of a repository is told.
func (e *Events) readers(ctx context.Context, repo supervisor.GitHubRepo, _ supervisor.GitHubEvent) (chats []supervisor.Conversation, err error) {
	everybody, err := e.o.Switches.find(ctx, repo, ServiceNotices, everyone)
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

// asked are the private chats of those who were asked for a review, unless they want no notices.
func (e *Events) asked(ctx context.Context, repo supervisor.GitHubRepo, of supervisor.GitHubEvent) (chats []supervisor.Conversation, err error) {
	for _, login := range of.Names {
		u, known := e.o.People.Login(login)
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
