// Package github is the feature for repositories on GitHub. It sends notices, reviews pull requests
// and triages issues. Events come by a webhook or by polling. They are stored as deliveries, which
// the EventHandler handles in order.
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

// Options configure the feature.
type Options struct {
	Stores
	Client *api.Client // client of GitHub's API; nil means that Mews has no account on GitHub
	Setup  setup.Setup // the expected setup on GitHub; its Repos are served
	Name   string      // the name by which people on GitHub address Mews; "" means its login
	// interval of the polls of a repository; 0 means that events come by a webhook
	Poll         time.Duration
	Gather       time.Duration // how long a notice waits for further notices for the same message
	Review       ReviewOptions
	TriageSettle time.Duration // wait between the opening of an issue and its triage
	Spool        *spool.Spool
	People       People                                    // the users who may talk
	Find         func(name string) (supervisor.User, bool) // returns a user by name, even one who may not talk
	Names        func() []string                           // returns the sorted names of all users
	Approver     review.Approver
	// Wake starts the turns of a conversation. Queued starts the delivery of its outbox. They must
	// not block.
	Wake   func(supervisor.Conversation)
	Queued func(conversation int64)
	Say    func(ctx context.Context, d supervisor.Delivery) error // puts a notice into the outbox
	Audit  func(user, action, detail string)                      // writes to the audit log; must not block
	Now    func() time.Time
	Log    hclog.Logger
}

// Stores are the database tables that the feature uses.
type Stores struct {
	Deliveries   sqlite.WebhookDeliveries
	Repositories sqlite.GitHubRepositories
	Reviews      sqlite.Reviews
	Triages      sqlite.Triages
	Settings     sqlite.Settings
	Cleanings    sqlite.MessageCleanups
	Inbox        sqlite.Inbox
	Outbox       sqlite.Outbox
	Blobs        sqlite.Blobs
	Turns        sqlite.Turns
}

// ReviewOptions are the limits for reviews.
type ReviewOptions struct {
	Settle time.Duration // wait between the last push and the review
	Heads  int           // maximum number of a pull request's heads that are reviewed without a request
	Inline int           // maximum number of comments in a review
}

// GitHub is the feature. Its methods may be called from any goroutine.
type GitHub struct {
	ReportReceiver
	o        Options
	self     atomic.Pointer[string]             // Mews's login on GitHub; nil if unknown
	relogin  atomic.Pointer[context.CancelFunc] // makes runEvents ask for the login again
	reviews  *review.Reviews
	triages  *triage.Triages
	switches *ServiceSwitches
	events   *EventHandler
	watch    *Poller // polls the repositories; nil if Mews has no account on GitHub
}

// New creates the feature.
func New(o Options) *GitHub {
	g := &GitHub{o: o}
	if o.Setup.Listens {
		g.o.Poll = 0
	}
	g.switches = &ServiceSwitches{Repos: o.Setup.Repos, Store: o.Settings, People: o.People}
	if len(o.Setup.Repos) > 0 {
		g.switches.Way = DescribeEventArrival(g.o.Poll)
	}
	g.reviews = review.New(review.Options{
		Store: o.Reviews, API: o.Client, Spool: o.Spool, Repo: g.FindRepo, Person: o.People.Find, Approver: o.Approver,
		Begun: func(in supervisor.Inbound) { o.Wake(in.Conversation) }, Say: o.Say,
		AppendToNotice: g.grow, Name: g.name,
		AwaitChecks: g.AwaitChecks,
		Settle:      o.Review.Settle, Heads: o.Review.Heads, Inline: o.Review.Inline, Now: o.Now,
		Log: o.Log.Named("review"),
	})
	private := &SecurityAlertReaders{Switches: g.switches}
	if o.Client != nil {
		private.Permission = o.Client.Permission
	}
	g.triages = triage.New(triage.Options{
		Store: o.Triages, Issues: o.Client, Writer: o.Client, Repo: g.FindRepo, Person: o.Find, Settle: o.TriageSettle,
		Begin: g.begin, Say: o.Say, Writers: private.List, Queued: o.Queued,
		IsPrivate: private.IsIssuePrivate, MarkPrivate: private.MarkIssuePrivate, Now: o.Now,
		Log: o.Log.Named("triage"),
	})
	g.events = NewEventHandler(EventHandlerOptions{
		Repos: o.Setup.Repos, Self: g.Login, Name: g.calledBy, Deliveries: o.Deliveries, Store: o.Repositories,
		Cleanings: o.Cleanings, Switches: g.switches, People: o.People, Reviews: g.reviews, Triages: g.triages,
		Private: private, Gather: o.Gather, Queued: o.Queued, Now: o.Now, Log: o.Log.Named("github"),
	})
	if o.Client != nil {
		g.watch = NewPoller(PollerOptions{
			Repos: o.Setup.Repos, Client: o.Client, Deliveries: o.Deliveries, Settings: o.Settings, Poll: g.o.Poll,
			Wake: g.events.Wake, Self: g.Login, Reviewed: g.heads, Now: o.Now, Log: o.Log.Named("github"),
		})
	}
	return g
}

// Feature returns the commands, calls and parts of the feature.
func (g *GitHub) Feature() feature.Feature {
	return feature.Feature{
		Name: "github", Commands: g.commands(), HostCalls: g.HostCalls(), Calls: g.calls(), Parts: g.parts(),
		Effects: []feature.Effect{{Name: review.EffectStrangerReview, Rule: string(approval.RuleAsk)}},
	}
}

// parts returns the parts of the feature. They need an account on GitHub.
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

// FindRepo returns the served repository with a name.
func (g *GitHub) FindRepo(name string) (supervisor.GitHubRepo, bool) {
	return findRepo(g.o.Setup.Repos, name)
}

// Wake tells the EventHandler that a delivery was stored. It never blocks.
func (g *GitHub) Wake() { g.events.Wake() }

// RunReview runs or continues a review in its turn. It returns the answer of the turn: a card, or
// for a diff the result as JSON.
func (g *GitHub) RunReview(ctx context.Context, turn supervisor.Turn, read review.MaterialReader) (text string,
	err error) {
	if strings.HasPrefix(turn.Conversation.Thread, patchPrefix) {
		return patches{g}.work(ctx, turn, read)
	}
	return g.reviews.RunTurn(ctx, turn, read)
}

// RunTriage runs or continues a triage in its turn, and returns the card for the user.
func (g *GitHub) RunTriage(ctx context.Context, turn supervisor.Turn, read triage.MaterialReader) (card string,
	err error) {
	return g.triages.RunTurn(ctx, turn, read)
}

// grow adds a line to the messages about a pull request.
func (g *GitHub) grow(ctx context.Context, repo string, number int, line string) error {
	return g.events.AddLineToNotices(ctx, repo, number, line)
}

// heads returns, for each pull request, the last head for which a review was requested.
func (g *GitHub) heads(ctx context.Context, name string) (map[int]string, error) {
	repo, _ := g.FindRepo(name)
	return g.o.Reviews.LastHeads(ctx, repo.User, name)
}

// begin stores an inbound once, and starts the turn of its conversation.
func (g *GitHub) begin(ctx context.Context, in supervisor.Inbound) (supervisor.Inbound, error) {
	in, _, err := g.o.Inbox.StoreInbound(ctx, in)
	if err == nil {
		g.o.Wake(in.Conversation)
	}
	return in, err
}
