// Package githubtest is a GitHub for tests: it answers over real HTTP as api.github.com does, with
// its rules, its limits and its ways of failing, sends webhooks that are signed, and keeps what was
// asked of it. What is in its repositories is in real git repositories.
//
// The rules are those of docs.github.com and of what clients of GitHub report. Where a test wants
// to know what stands on GitHub it asks a Repo; where it wants to know what was asked, Requests;
// what a good client never does is in Violations.
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

// Options is how a server is. The zero value is github.com with a token of the bot's that may do
// everything.
type Options struct {
	Token string // "" is "TEST-token"
	Login string // whose it is; "" is "mews-bot"
	// May is what the token may do, such as {"issues": "read"}; nil is everything. What an App's
	// installations were granted likewise.
	May map[string]string
	App *App // tokens of its installations are accepted; each repository has it installed

	NoGraphQL bool             // an Enterprise without it
	HookWait  time.Duration    // how long a webhook may take; 0 is GitHub's 10 s
	Strict    bool             // each violation is an error of the test when it ends
	Now       func() time.Time // nil is time.Now
	Dir       string           // where the git repositories are; "" is a folder of the test's
}

// App is a GitHub App.
type App struct {
	ID     int64
	Slug   string // its login is this and [bot]
	Key    *rsa.PublicKey
	Hook   string // its webhook's address; "" for none
	Secret string // of its webhook
}

// Server is a GitHub. Its methods may be called from any goroutine.
type Server struct {
	Hooks // what it sends

	t       testing.TB
	options Options
	http    *http.Server
	addr    string
	ctx     context.Context
	down    context.CancelFunc
	work    sync.WaitGroup

	changes signals.Broadcast

	mu       sync.Mutex    // guards what follows
	ahead    time.Duration // what the clock is ahead of Options.Now
	closing  bool
	lastID   int64
	repos    map[string]*Repo  // by lower-case name
	moved    map[string]string // new names by old ones in lower case
	grants   map[string]*grant
	limits   limits
	faults   []*fault
	log      record
	projects []*project
}

// New starts a server on 127.0.0.1. It ends with the test.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Token == "" {
		o.Token = "TEST-token"
	}
	if o.Login == "" {
		o.Login = "mews-bot"
	}
	if o.HookWait == 0 {
		o.HookWait = 10 * time.Second // docs.github.com, best practices for using webhooks
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
	s.Hooks = newHooks(s)
	s.grants[o.Token] = &grant{login: o.Login, account: o.Login, may: o.May}
	s.http = &http.Server{Handler: s.handler(), ConnContext: withConn, ConnState: s.connState}
	s.work.Go(func() { _ = s.http.Serve(listener) }) // it ends with close, which is no error
	t.Cleanup(s.close)
	return s
}

// close ends the server and what it has started, and has a strict test fail for what it has seen.
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
	for _, v := range s.Violations() {
		s.t.Errorf("the GitHub saw: %s", v)
	}
}

// URL is what a client is configured with as api_url.
func (s *Server) URL() string { return "http://" + s.addr + "/" }

// Token is the bot's token.
func (s *Server) Token() string { return s.options.Token }

// Revoke has a token refused from now on.
func (s *Server) Revoke(token string) { s.change(func() { delete(s.grants, token) }) }

// Advance moves the server's clock.
func (s *Server) Advance(d time.Duration) { s.change(func() { s.ahead += d }) }

// Now is the server's clock.
func (s *Server) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now()
}

func (s *Server) now() time.Time { return s.options.Now().Add(s.ahead).UTC() }

// id is a new id, as all of GitHub's are: larger than the last.
func (s *Server) id() int64 {
	s.lastID++
	return s.lastID
}

// change changes the state and tells whoever waits for a change.
func (s *Server) change(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.changes.Notify()
}

// Await waits until cond holds, and looks again at whatever changes. It gives the test up after two
// minutes. cond may call the server's methods.
func (s *Server) Await(t testing.TB, what string, cond func() bool) {
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
			t.Fatalf("waited two minutes for %s\n%s", what, s.Dump())
		}
	}
}

// fail has the test fail; the server goes on.
func (s *Server) fail(format string, args ...any) { s.t.Errorf("githubtest: "+format, args...) }

// user is somebody, as GitHub's JSON has them.
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

// idOf is somebody's id.
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
