package review

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/github/api"
	"mews/supervisor/github/githubtest"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// rig runs reviews of alice's repository on a fake GitHub.
type rig struct {
	*testing.T
	hub      *githubtest.Server
	repo     *githubtest.Repo
	db       *sqlite.DB
	reviews  *Reviews
	served   supervisor.GitHubRepo
	now      time.Time
	told     []string // texts of the messages to users
	grown    []string // lines that were added to earlier messages
	material protocol.ReviewMaterial
	read     int // number of times that a worker has read material
	allow    error
	begun    []supervisor.Inbound

	kill  func() // ends the process; called at its last request
	last  int    // number of requests until the process ends
	after bool   // GitHub still handles the last request

	sending func(*http.Request) // called before each request; nil means no call
}

// RoundTrip implements http.RoundTripper, and ends the process at its last request.
func (r *rig) RoundTrip(request *http.Request) (*http.Response, error) {
	if r.sending != nil {
		r.sending(request)
	}
	if r.kill == nil {
		return http.DefaultTransport.RoundTrip(request)
	}
	if r.last--; r.last != 0 {
		return http.DefaultTransport.RoundTrip(request)
	}
	if r.after {
		if response, err := http.DefaultTransport.RoundTrip(request); err == nil {
			response.Body.Close()
		}
	}
	r.kill()
	return nil, context.Canceled
}

func newRig(t *testing.T, o githubtest.Options) *rig {
	t.Helper()
	r := &rig{T: t, now: time.Now().UTC().Truncate(time.Second)}
	o.Now = func() time.Time { return r.now }
	var app *api.App
	if o.App != nil {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		r.must(err)
		o.App = &githubtest.App{ID: 7, Slug: "mews", Key: &key.PublicKey}
		text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
		app = &api.App{ID: 7, Key: func() string { return string(text) }}
	}
	r.hub = githubtest.New(t, o)
	r.repo = r.hub.Repo("Acme/Widget")
	r.db = sqlitetest.OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{Now: o.Now})
	kept, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	r.served = supervisor.GitHubRepo{Name: "acme/widget", User: "alice", Review: true, Post: supervisor.PostAsReview,
		ConfirmForks: true}
	to := api.Options{URL: r.hub.URL(), Token: r.hub.Token, Now: o.Now, HTTP: r}
	if app != nil {
		to.App, to.Token = app, nil
	}
	client, err := api.New(to)
	r.must(err)
	r.reviews = New(Options{
		Store: r.db.Reviews(), API: client, Spool: kept,
		Repo: func(name string) (supervisor.GitHubRepo, bool) { return r.served, name == r.served.Name },
		Person: func(name string) (supervisor.User, bool) {
			return supervisor.User{Name: name, Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "42"}}, name == "alice"
		},
		Approver: r, Begun: func(in supervisor.Inbound) { r.begun = append(r.begun, in) },
		Say: func(_ context.Context, d supervisor.Delivery) error { r.told = append(r.told, d.Text); return nil },
		AppendToNotice: func(_ context.Context, repo string, number int, line string) error {
			r.grown = append(r.grown, fmt.Sprintf("%s#%d %s", repo, number, line))
			return nil
		},
		Name: func() string { return "mews" }, Settle: 5 * time.Minute, Heads: 5, Now: o.Now, Log: hclog.NewNullLogger(),
	})
	return r
}

func (r *rig) Allow(context.Context, approval.Request) error { return r.allow }

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// open opens a pull request with the given lines in main.go.
func (r *rig) open(lines string, change ...func(*githubtest.NewPullRequest)) int {
	r.Helper()
	p := githubtest.NewPullRequest{Title: "Put it", Body: "It puts.", Head: "put-it"}
	for _, c := range change {
		c(&p)
	}
	r.repo.AddCommit(p.Head, githubtest.Commit{Message: "Put it", Author: p.Author,
		Files: map[string]string{"main.go": lines}})
	return r.repo.OpenPullRequest(p)
}

func (r *rig) push(branch, lines string) {
	r.Helper()
	r.repo.AddCommit(branch, githubtest.Commit{Message: "More", Files: map[string]string{"main.go": lines}})
}

// want requests a pull request's review, and waits until the review is due.
func (r *rig) want(number int, asked string) {
	r.Helper()
	r.now = r.now.Add(time.Minute)
	r.must(r.reviews.AddRequest(r.Context(), supervisor.GitHubWorkRequest{Repo: "acme/widget", Number: number,
		Requester: asked, At: r.now}))
	r.now = r.now.Add(5 * time.Minute)
	r.must(r.reviews.beginDue(r.Context()))
}

// recheck tells of a changed title or label of a pull request, and waits until its review is due.
func (r *rig) recheck(number int) {
	r.Helper()
	r.now = r.now.Add(time.Minute)
	r.must(r.reviews.AddRequest(r.Context(), supervisor.GitHubWorkRequest{Repo: "acme/widget", Number: number,
		Recheck: true, At: r.now}))
	r.now = r.now.Add(5 * time.Minute)
	r.must(r.reviews.beginDue(r.Context()))
}

// bug returns a finding about a line with a quote.
func bug(path string, line int, quote string) protocol.ReviewFinding {
	return protocol.ReviewFinding{Path: path, Line: line, Side: "RIGHT", Severity: protocol.SeverityCritical, Category: "bug", Title: "It fails at " + quote,
		Detail: "Always.", Quote: quote, Confidence: 0.9}
}

// run runs the turn of the newest inbound, in which the worker reports the findings in found. It
// returns the turn's card, or "" without a turn.
func (r *rig) run(found ...protocol.ReviewFinding) string {
	r.Helper()
	card, err := r.tryRun(found...)
	r.must(err)
	return card
}

func (r *rig) tryRun(found ...protocol.ReviewFinding) (card string, err error) {
	r.Helper()
	turn, ok := r.turn()
	if !ok {
		return "", nil
	}
	card, err = r.reviews.RunTurn(r.Context(), turn, r.reader(found...))
	if err == nil {
		_, end := r.db.Turns().Finish(r.Context(), endOf(turn, card))
		r.must(end)
	}
	return card, err
}

func endOf(turn supervisor.Turn, card string) sqlite.TurnEnding {
	return sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone, State: supervisor.InboundAnswered, Text: card}
}

func (r *rig) reader(found ...protocol.ReviewFinding) MaterialReader {
	return func(_ context.Context, m protocol.ReviewMaterial) (protocol.ReviewReport, error) {
		r.material = m
		r.read++
		report := protocol.ReviewReport{Verdict: "It could be worse.", Findings: found}
		for _, f := range found {
			if f.Refutation != "" {
				report.Refuted++
			}
		}
		return report, nil
	}
}

// turn returns the running turn. If no turn runs, it starts the next one.
func (r *rig) turn() (supervisor.Turn, bool) {
	r.Helper()
	if len(r.begun) == 0 {
		return supervisor.Turn{}, false
	}
	in := r.begun[len(r.begun)-1]
	open, ok, err := r.db.Turns().FindRunning(r.Context(), in.Conversation.ID)
	r.must(err)
	if ok {
		return open.Turn, true
	}
	next, ok, err := r.db.Inbox().NextInbound(r.Context(), in.Conversation.ID)
	r.must(err)
	if !ok {
		return supervisor.Turn{}, false
	}
	turn, _, err := r.db.Turns().Start(r.Context(), next.ID, nil)
	r.must(err)
	return turn, true
}

// state returns the state of a pull request's newest review.
func (r *rig) state(number int) string {
	r.Helper()
	list, err := r.db.Reviews().ListOfPullRequest(r.Context(), "alice", "acme/widget", number)
	r.must(err)
	if len(list) == 0 {
		return "none"
	}
	last := list[len(list)-1]
	return strings.TrimSpace(fmt.Sprint(last.State, " ", last.Why))
}

// posted lists a pull request's reviews on GitHub, each on one line with the positions of its
// comments.
func (r *rig) posted(number int) (list []string) {
	for _, v := range r.repo.Reviews(number) {
		line := v.State
		for _, c := range v.Comments {
			line += fmt.Sprintf(" %s:%d", c.Path, c.Line)
		}
		list = append(list, line)
	}
	return list
}

func (r *rig) same(what string, got, want any) {
	r.Helper()
	if g, w := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want); g != w {
		r.Errorf("%s: %s, want %s", what, g, w)
	}
}

// wantParts fails the test if text lacks one of parts.
func (r *rig) wantParts(text string, parts ...string) {
	r.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			r.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

const code = "package main\n\nfunc put(m map[string]int) {\n\tm[\"a\"] = 1\n}\n"
