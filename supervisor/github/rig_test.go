package github_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/github"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

type event = supervisor.GitHubEvent

const sha = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"

// people are two users: alice, an admin, and bob, whose login on GitHub is carol.
type people struct{}

var persons = map[string]supervisor.User{
	"alice": {Name: "alice", Role: supervisor.RoleAdmin, Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "42"}},
	"bob":   {Name: "bob", Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "43"}},
}

func (people) Find(name string) (supervisor.User, bool) { u, ok := persons[name]; return u, ok }
func (people) Admins() []supervisor.User                { return []supervisor.User{persons["alice"]} }
func (people) FindByLogin(login string) (supervisor.User, bool) {
	return persons["bob"], strings.EqualFold(login, "carol")
}

func (people) LoginOf(user string) string { return map[string]string{"bob": "carol"}[user] }

// requestLog records requests for reviews and triages.
type requestLog struct {
	mu    sync.Mutex
	asked []string
	err   error
}

func (w *requestLog) AddRequest(_ context.Context, v supervisor.GitHubWorkRequest) error {
	recheck := map[bool]string{true: " recheck"}[v.Recheck]
	return w.add(fmt.Sprintf("%s#%d %s %s fork=%v%s", v.Repo, v.Number, v.Requester, v.Text, v.Fork, recheck))
}

func (w *requestLog) MutePullRequest(_ context.Context, repo string, of supervisor.GitHubEvent) error {
	return w.add(fmt.Sprintf("stop %s#%d %s", repo, of.Number, of.Sender))
}

func (w *requestLog) add(what string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.asked = append(w.asked, strings.Join(strings.Fields(what), " "))
	}
	return w.err
}

// rig runs an EventHandler with a real database. The test stores deliveries in it.
type rig struct {
	*testing.T
	db       *sqlite.DB
	repos    []supervisor.GitHubRepo
	reviews  *requestLog
	triages  *requestLog
	switches *github.ServiceSwitches
	events   *github.EventHandler
	private  *github.SecurityAlertReaders

	committed func()
	queued    func(int64)

	permissions map[string]string // permissions by repository and login
}

func newRig(t *testing.T, repos ...supervisor.GitHubRepo) *rig {
	r := &rig{T: t, repos: repos, reviews: &requestLog{}, triages: &requestLog{}, committed: func() {}, queued: func(int64) {}}
	r.db = sqlitetest.OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{OnCommit: func() { r.committed() }})
	r.switches = &github.ServiceSwitches{Repos: repos, Store: r.db.Settings(), People: people{}}
	r.begin()
	return r
}

// begin creates an EventHandler, like the start of the service.
func (r *rig) begin() {
	r.private = &github.SecurityAlertReaders{Switches: r.switches, Permission: r.permission}
	r.events = github.NewEventHandler(github.EventHandlerOptions{Repos: r.repos,
		Self: func() string { return "mews-bot" }, Name: func() string { return "mews" },
		Deliveries: r.db.WebhookDeliveries(), Store: r.db.GitHubRepositories(), Cleanings: r.db.MessageCleanups(),
		Switches: r.switches, Reviews: r.reviews, Triages: r.triages,
		Private: r.private,
		People:  people{}, Gather: 30 * time.Second, Queued: func(c int64) { r.queued(c) }, Now: time.Now,
		Log: hclog.NewNullLogger()})
}

// permission returns the permission of bob's login.
func (r *rig) permission(_ context.Context, repo, login string) (string, error) {
	return r.permissions[repo+" "+login], nil
}

// put stores a delivery.
func (r *rig) put(key string, e event) {
	r.Helper()
	if e.Repo == "" {
		e.Repo = "Acme/Widget"
	}
	if e.Sender == "" {
		e.Sender = "dave"
	}
	if _, err := r.db.WebhookDeliveries().Put(r.Context(), supervisor.WebhookDelivery{User: "alice",
		Source: supervisor.WebhookSourceGitHub, Key: key,
		Body: key, Event: e}); err != nil {
		r.Fatal(err)
	}
	r.events.Wake()
}

// live runs the EventHandler for a while.
func (r *rig) live(d time.Duration) {
	ctx, cancel := context.WithTimeout(r.Context(), d)
	defer cancel()
	if err := r.events.Run(ctx); err != nil {
		r.Error(err)
	}
}

// told returns each message's chat and first line.
func (r *rig) told() (list []string) {
	r.Helper()
	for _, row := range sqlitetest.QueryColumn(r, r.db,
		`SELECT c.user || ' ' || c.chat || iif(c.thread = '', '', ' ' || c.thread) || ': ' || o.text FROM outbox o JOIN conversation c ON c.id = o.conversation ORDER BY o.id`) {
		line, _, _ := strings.Cut(row, "\n")
		list = append(list, strings.Join(strings.Fields(strings.ReplaceAll(line, "*", "")), " "))
	}
	return list
}

func (r *rig) same(what string, got, want []string) {
	r.Helper()
	if !slices.Equal(got, want) {
		r.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// inBubble runs a test with a fake clock.
func inBubble(t *testing.T, fn func(*testing.T)) { synctest.Test(t, fn) }

// widget is a repository of alice. Alice and a topic of a group get its notices.
func widget() supervisor.GitHubRepo {
	return supervisor.GitHubRepo{Name: "acme/widget", User: "alice", Review: true, Triage: true,
		Notify: []supervisor.GitHubRecipient{{User: "alice"}, {Chat: "-100123", Thread: "45"}}}
}

func comment(number int, text string) event {
	return event{Event: "issue_comment", Action: "created", Number: number, IsPull: true, Title: "Count", Text: text, Association: "MEMBER"}
}

func pull(action string, number int) event {
	return event{Event: "pull_request", Action: action, Number: number, IsPull: true, Title: "Count", Ref: "counting", Base: "main", Head: sha}
}

func check(name, state, head string) event {
	return event{Event: "check_run", Action: "completed", Title: name, State: state, Ref: "main", Head: head, Sender: "actions", SenderBot: true}
}
