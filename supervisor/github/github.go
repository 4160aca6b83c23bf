// Package github is the feature that serves repositories on GitHub: people are told what happens
// there, pull requests are reviewed and issues triaged. What happens comes from a webhook, or is
// found by polling; both are kept as deliveries, and worked off in order by Events.
package github

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/github/api"
	"mews/supervisor/github/review"
	"mews/supervisor/github/setup"
	"mews/supervisor/github/triage"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// Options are what a GitHub works on.
type Options struct {
	Stores
	Client *api.Client // nil means that Mews has no account there
	Setup  setup.Setup // what is to be on GitHub; its Repos are served
	Name   string      // what people there call Mews by; "" means by its login
	// how often each repository is asked what has happened, unless webhooks tell
	Poll         time.Duration
	Gather       time.Duration // how long a notice waits for what is told together with it
	Review       ReviewOptions
	TriageSettle time.Duration // from the opening of an issue to its triage
	Spool        *spool.Spool
	People       People                                    // those who may speak
	Find         func(name string) (supervisor.User, bool) // of all people
	Names        func() []string                           // likewise, sorted
	Approver     review.Approver
	// Wake has the turns of a conversation run, and Queued its outbox be delivered. They never block.
	Wake   func(supervisor.Conversation)
	Queued func(conversation int64)
	Say    func(ctx context.Context, d supervisor.Delivery) error // puts a notice into the outbox
	Audit  func(user, action, detail string)                      // never blocks
	Now    func() time.Time
	Log    hclog.Logger
}

// Stores are what a GitHub keeps things in.
type Stores struct {
	Deliveries   sqlite.WebhookDeliveries
	Repositories sqlite.Repositories
	Reviews      sqlite.Reviews
	Triages      sqlite.Triages
	Settings     sqlite.Settings
	Cleanings    sqlite.Cleanings
	Inbox        sqlite.Inbox
	Outbox       sqlite.Outbox
	Blobs        sqlite.Blobs
	Turns        sqlite.Turns
}

// ReviewOptions bound reviews.
type ReviewOptions struct {
	Settle time.Duration // from the last push to the review
	Heads  int           // of a pull request that are reviewed unasked
	Inline int           // the most comments of a review
}

// GitHub serves repositories. Its methods may be called from any goroutine.
type GitHub struct {
	Reports
	o        Options
	self     atomic.Pointer[string] // the login of Mews there; nil while that is not known
	reviews  *review.Reviews
	triages  *triage.Triages
	switches *Switches
	events   *Events
	watch    *Watch // nil without a client
}

// New makes a GitHub.
func New(o Options) *GitHub {
	g := &GitHub{o: o}
	if o.Setup.Listens {
		g.o.Poll = 0
	}
	g.switches = &Switches{Repos: o.Setup.Repos, Store: o.Settings, People: o.People}
	if len(o.Setup.Repos) > 0 {
		g.switches.Way = Way(g.o.Poll)
	}
	g.reviews = review.New(review.Options{
		Store: o.Reviews, API: o.Client, Spool: o.Spool, Repo: g.Repo, Person: o.People.Find, Approver: o.Approver,
		Begun: func(in supervisor.Inbound) { o.Wake(in.Conversation) }, Say: o.Say, Grow: g.grow, Name: g.name,
		Settle: o.Review.Settle, Heads: o.Review.Heads, Inline: o.Review.Inline, Now: o.Now, Log: o.Log.Named("review"),
	})
	g.triages = triage.New(triage.Options{
		Store: o.Triages, Issues: o.Client, Writer: o.Client, Repo: g.Repo, Person: o.Find, Settle: o.TriageSettle,
		Begin: g.begin, Say: o.Say, Now: o.Now, Log: o.Log.Named("triage"),
	})
	g.events = NewEvents(EventsOptions{
		Repos: o.Setup.Repos, Self: g.login, Name: g.calledBy, Deliveries: o.Deliveries, Store: o.Repositories,
		Cleanings: o.Cleanings, Switches: g.switches, People: o.People, Reviews: g.reviews, Triages: g.triages,
		Gather: o.Gather, Queued: o.Queued, Now: o.Now, Log: o.Log.Named("github"),
	})
	if o.Client != nil {
		g.watch = NewWatch(WatchOptions{
			Repos: o.Setup.Repos, Client: o.Client, Deliveries: o.Deliveries, Settings: o.Settings, Poll: g.o.Poll,
			Wake: g.events.Wake, Reviewed: g.heads, Now: o.Now, Log: o.Log.Named("github"),
		})
	}
	return g
}

// Feature is what it adds to the service.
func (g *GitHub) Feature() feature.Feature {
	return feature.Feature{
		Name: "github", Commands: g.commands(), HostCalls: g.HostCalls(), Calls: g.calls(), Parts: g.parts(),
		Effects: []feature.Effect{{Name: review.EffectStranger, Rule: string(approval.RuleAsk)}},
	}
}

// parts are what runs if Mews has an account on GitHub.
func (g *GitHub) parts() (list []feature.Part) {
	if g.o.Client == nil {
		return nil
	}
	list = []feature.Part{{Name: "reviews", Run: g.reviews.Run}, {Name: "triage", Run: g.triages.Run}}
	if len(g.o.Setup.Repos) > 0 {
		list = append(list, feature.Part{Name: "github events", Run: g.runEvents},
			feature.Part{Name: "github watch", Run: g.watch.Run})
	}
	return list
}

// Repo is a repository that is served, by its name.
func (g *GitHub) Repo(name string) (supervisor.GitHubRepo, bool) {
	return findRepo(g.o.Setup.Repos, name)
}

// Wake says that a delivery was kept. It never blocks.
func (g *GitHub) Wake() { g.events.Wake() }

// Review does what is left to be done of a review in the turn that runs for it, and returns what
// the turn ends with: a card, or of a diff the result as JSON.
func (g *GitHub) Review(ctx context.Context, turn supervisor.Turn, read review.Reader) (text string, err error) {
	if strings.HasPrefix(turn.Conversation.Thread, patchPrefix) {
		return patches{g}.work(ctx, turn, read)
	}
	return g.reviews.Work(ctx, turn, read)
}

// Triage does the same of a triage.
func (g *GitHub) Triage(ctx context.Context, turn supervisor.Turn, read triage.Reader) (card string, err error) {
	return g.triages.Work(ctx, turn, read)
}

// grow adds a line to the messages that tell of a pull request.
func (g *GitHub) grow(ctx context.Context, repo string, number int, line string) error {
	return g.events.Grow(ctx, repo, number, line)
}

// heads are those of which a review was wanted last, by pull request.
func (g *GitHub) heads(ctx context.Context, name string) (map[int]string, error) {
	repo, _ := g.Repo(name)
	return g.o.Reviews.Heads(ctx, repo.User, name)
}

// begin keeps an inbound, once, and has its conversation's turn run.
func (g *GitHub) begin(ctx context.Context, in supervisor.Inbound) (supervisor.Inbound, error) {
	in, _, err := g.o.Inbox.Put(ctx, in)
	if err == nil {
		g.o.Wake(in.Conversation)
	}
	return in, err
}
