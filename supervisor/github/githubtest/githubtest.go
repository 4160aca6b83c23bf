// Package githubtest is a fake GitHub. It answers over real HTTP like api.github.com, with the same
// rules, limits and failures. It sends signed webhooks and records all requests. The contents of
// its repositories are in real git repositories.
//
// The rules come from docs.github.com and from reports of GitHub's clients. A Repo shows what is on
// GitHub. Requests shows the requests. LimitViolations lists everything that a good client never
// does.
package githubtest

import (
	"context"
	"crypto/rsa"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/supervisor/internal/signals"
)

// Options configure a Server. The zero value is like github.com, with a bot's token that has all
// permissions.
type Options struct {
	Token string // token of the bot; "" means "TEST-token"
	Login string // login of the bot; "" means "mews-bot"
	// permissions of the token and of the App's installations, such as {"issues": "read"}; nil
	// means all
	May map[string]string
	App *App // the server accepts tokens of this App; it is installed in all repositories

	NoGraphQL bool             // no GraphQL, like some GitHub Enterprises
	HookWait  time.Duration    // time limit for a webhook's receiver; 0 means GitHub's 10 s
	Strict    bool             // whether a test with limit violations fails
	Now       func() time.Time // returns the current time; nil means time.Now
	Dir       string           // folder for the git repositories; "" means a temporary folder
}

// App is a GitHub App.
type App struct {
	ID     int64
	Slug   string // the App's login is Slug with [bot] at the end
	Key    *rsa.PublicKey
	Hook   string // address of the App's own webhook; "" means none
	Secret string // secret of the App's own webhook
}

// Server is a fake GitHub. Its methods may be called from any goroutine.
type Server struct {
	WebhookSender // webhooks of all repositories

	t       testing.TB
	options Options
	http    *http.Server
	addr    string
	ctx     context.Context
	down    context.CancelFunc
	work    sync.WaitGroup

	changes signals.Broadcast

	mu       sync.Mutex    // guards the fields below
	ahead    time.Duration // how far the server's clock is ahead of Options.Now
	closing  bool
	lastID   int64
	repos    map[string]*Repo  // repositories by name in lower case
	moved    map[string]string // new names of renamed repositories, by old name in lower case
	grants   map[string]*grant
	limits   limits
	faults   []*fault
	log      record
	projects []*project
}

// New starts a server on 127.0.0.1. The server ends with the test.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Token == "" {
		o.Token = "TEST-token"
	}
	if o.Login == "" {
		o.Login = "mews-bot"
	}
	if o.HookWait == 0 {
		o.HookWait = 10 * time.Second // GitHub's limit (docs.github.com, best practices for using webhooks)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatalf("start a GitHub: %v", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("start a GitHub: %v", err)
	}
	s := &Server{t: t, options: o, addr: listener.Addr().String(), repos: map[string]*Repo{}, moved: map[string]string{}, grants: map[string]*grant{}, lastID: 1000}
	s.ctx, s.down = context.WithCancel(context.Background())
	s.limits = newLimits()
	s.WebhookSender = newHooks(s)
	s.grants[o.Token] = &grant{login: o.Login, account: o.Login, may: o.May}
	s.http = &http.Server{Handler: s.handler(), ConnContext: withConn, ConnState: s.connState}
	s.work.Go(func() { _ = s.http.Serve(listener) }) // Serve ends with an error when close is called
	t.Cleanup(s.close)
	return s
}

// close stops the server and its goroutines. With the option Strict, the test fails if there were
// violations.
func (s *Server) close() {
	s.change(func() { s.closing = true })
	s.down()
	if err := s.http.Close(); err != nil {
		s.t.Errorf("close the GitHub: %v", err)
	}
	s.work.Wait()
	if !s.options.Strict {
		return
	}
	for _, v := range s.LimitViolations() {
		s.t.Errorf("the GitHub saw: %s", v)
	}
}

// URL returns the address of the API, for clients.
func (s *Server) URL() string { return "http://" + s.addr + "/" }

// Token returns the bot's token.
func (s *Server) Token() string { return s.options.Token }

// RevokeToken makes a token invalid.
func (s *Server) RevokeToken(token string) { s.change(func() { delete(s.grants, token) }) }

// AdvanceClock moves the server's clock forward.
func (s *Server) AdvanceClock(d time.Duration) { s.change(func() { s.ahead += d }) }

// Now returns the time of the server's clock.
func (s *Server) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now()
}

func (s *Server) now() time.Time { return s.options.Now().Add(s.ahead).UTC() }

// id returns a new id. Ids rise, as on GitHub.
func (s *Server) id() int64 {
	s.lastID++
	return s.lastID
}

// change changes the server's state. Afterwards it wakes all callers of AwaitCondition.
func (s *Server) change(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.changes.Notify()
}

// AwaitCondition waits until cond returns true. It calls cond after each change. After two minutes
// it fails the test. cond may call methods of the server.
func (s *Server) AwaitCondition(t testing.TB, what string, cond func() bool) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	for {
		changed := s.changes.Wait()
		if cond() {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("waited two minutes for %s\n%s", what, s.DumpRequests())
		}
	}
}

// fail fails the test without stopping it.
func (s *Server) fail(format string, args ...any) { s.t.Errorf("githubtest: "+format, args...) }

// user returns a user in GitHub's JSON.
func user(login string) map[string]any {
	if login == "" {
		return nil
	}
	kind := "User"
	if strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	return map[string]any{"login": login, "id": idOf(login), "type": kind, "html_url": "https://github.com/" + login, "site_admin": false}
}

// idOf returns the id of a user.
func idOf(login string) int64 {
	var n int64 = 7
	for _, b := range []byte(strings.ToLower(login)) {
		n = (n*31 + int64(b)) % 1_000_003
	}
	return n
}

func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

func nodeID(kind string, id int64) string { return fmt.Sprintf("%s_%d", kind, id) }
