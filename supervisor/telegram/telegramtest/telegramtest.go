// Package telegramtest is a fake Bot API server. It answers over real HTTP as Telegram's own does,
// with its limits, texts and failures. It records all requests and the messages in each chat.
//
// Its rules come from Telegram's published server (tdlib/telegram-bot-api) and its documentation.
// Sent tells a test what a person sees, Calls tells what was requested, and Violations has
// everything that a good client never does.
package telegramtest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options configure a server. The zero value is a server without limits of rates.
type Options struct {
	Token    string // "" means "42:TEST-token"; the part before the colon is the bot's id
	Username string // "" means "mews_bot"

	NextUpdate  int64 // the first update's id; 0 means 500001
	NextMessage int64 // the first message's id, of each counter; 0 means 1

	// Speed divides the server's own waits: the webhook's retries and delayed conflicts. 0 means 1.
	Speed float64
	// HookTimeout limits a webhook's time for one update; 0 means 60 s. Speed does not change it.
	HookTimeout time.Duration

	// Check is called with the updates that a getUpdates with an offset, or a 2xx of the webhook,
	// is about to confirm, before they are forgotten. It may call the server's methods.
	Check func(updates []int64)

	// Seen is called with each complete request before it is answered; the request waits until it
	// returns. It may call the server's methods.
	Seen func(Call)

	// Files is the folder of a server with --local: getFile puts files of any size there, and none
	// is served.
	Files string

	Rates  Rates            // the watched rates; the zero value watches none
	Strict bool             // each violation fails the test at its end
	Now    func() time.Time // nil means time.Now
}

// Rates are the most messages that a good client sends. More are violations, but are answered as
// usual. 0 means not watched.
type Rates struct {
	All    int           // a second, to all chats
	Chat   int           // within Window, to one chat
	Window time.Duration // 0 means 1 s
	Group  int           // within any minute, to one group, supergroup or channel
	Slack  time.Duration // how much closer requests may arrive than they were sent; 0 means 50 ms
}

// User is a user on Telegram.
type User struct {
	ID       int64
	First    string // "" means "U" and the id
	Username string
	Bot      bool
}

// Chat is a chat.
type Chat struct {
	ID    int64
	Type  string // private, group, supergroup, channel; "" means the type of the id
	Title string
	Forum bool // a supergroup with topics
}

// Private returns the private chat of a user with the bot.
func Private(u User) Chat { return Chat{ID: u.ID, Type: "private", Title: u.First} }

// Server is a fake Bot API server. Its methods may be called from any goroutine.
type Server struct {
	People // actions of people and of Telegram itself
	Record // everything that the server has seen

	state *serverState
	http  *http.Server
	addr  string
	down  context.CancelFunc
}

// New starts a server on 127.0.0.1 that ends with the test.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	w, err := newServerState(o)
	if err != nil {
		t.Fatalf("start a Bot API server: %v", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("start a Bot API server: %v", err)
	}
	ctx, down := context.WithCancel(context.Background())
	w.lifetime.ctx = ctx
	s := &Server{People: People{w}, Record: Record{w}, state: w, addr: listener.Addr().String(), down: down}
	s.http = &http.Server{
		Handler:     s,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: withConn,
		ConnState:   s.connState,
	}
	w.lifetime.Go(func() { _ = s.http.Serve(listener) }) // it ends with Close, which is no error
	t.Cleanup(func() { s.close(t) })
	return s
}

// begin begins a request, unless the server is closing.
func (w *serverState) begin() bool {
	open := false
	w.read(func() {
		if open = !w.lifetime.closing; open {
			w.lifetime.Add(1)
		}
	})
	return open
}

// close ends the server and its goroutines. A strict test fails if there were violations.
func (s *Server) close(t testing.TB) {
	s.state.change(func() { s.state.lifetime.closing = true })
	s.down()
	if err := s.http.Close(); err != nil {
		t.Errorf("close the Bot API server: %v", err)
	}
	s.state.lifetime.Wait()
	if !s.state.options.Strict {
		return
	}
	for _, v := range s.Violations() {
		t.Errorf("the Bot API server saw: %s", v)
	}
}

// Died tells the server that its client was killed. Then it is no violation if the client forgot a
// refusal from the moment before.
func (s *Server) Died(at time.Time) { s.state.change(func() { s.state.limits.died(at) }) }

// connState notices closed connections.
func (s *Server) connState(c net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		s.state.change(func() {
			s.state.disconnects++
			s.state.limits.closed(c, s.state.now())
		})
	}
}

// Disconnects returns the number of closed connections.
func (s *Server) Disconnects() int { return look(s.state, func() int { return s.state.disconnects }) }

// URL returns the server's root, for a client's configuration.
func (s *Server) URL() string { return "http://" + s.addr }

// Token returns the bot's current token.
func (s *Server) Token() string {
	return look(s.state, func() string { return s.state.bot.token })
}

// BotID returns the bot's id.
func (s *Server) BotID() int64 { return s.state.bot.user.ID }

// Revoke revokes the token.
func (s *Server) Revoke() { s.state.change(func() { s.state.bot.revoked = true }) }

// SetToken gives the bot another token. It restores a revoked token; older ones are refused.
func (s *Server) SetToken(token string) {
	s.state.change(func() { s.state.bot.token, s.state.bot.revoked = token, false })
}

// Fault makes requests fail until end is called.
func (s *Server) Fault(f Fault) (end func()) {
	var added *fault
	s.state.change(func() { added = s.state.faults.add(f, s.state.now()) })
	return func() { s.state.change(func() { added.left = 0 }) }
}

// SetFlood turns flood control on. A chat with more than n messages or edits within a window is
// refused for retryAfter seconds. n 0 turns it off.
func (s *Server) SetFlood(n int, window time.Duration, retryAfter int) {
	s.state.change(func() { s.state.limits.control = floodControl{n: n, window: window, retryAfter: retryAfter} })
}

// Advance moves the server's clock.
func (s *Server) Advance(d time.Duration) { s.state.change(func() { s.state.clockAhead += d }) }

// Await waits until cond is true, and checks it after each change. It fails the test after two
// minutes. cond may call the server's methods.
func (s *Server) Await(t testing.TB, what string, cond func() bool) {
	t.Helper()
	deadline := time.NewTimer(2 * time.Minute)
	defer deadline.Stop()
	for {
		changed := s.state.changes.Wait()
		began := time.Now()
		if cond() {
			return
		}
		// a slow cond is not checked all the time
		dear := time.After(4 * time.Since(began))
		if !waitFor(changed, deadline.C) || !waitFor(dear, deadline.C) {
			t.Fatalf("waited two minutes for %s\n%s", what, s.Dump())
		}
	}
}

// waitFor waits for c until the deadline.
func waitFor[T any](c <-chan T, deadline <-chan time.Time) bool {
	select {
	case <-c:
		return true
	case <-deadline:
		return false
	}
}

// bot is the account of the token.
type bot struct {
	user    User
	token   string
	revoked bool
}

func newBot(token, username string) (bot, error) {
	id, _, ok := strings.Cut(token, ":")
	n, err := strconv.ParseInt(id, 10, 64)
	if !ok || err != nil {
		return bot{}, fmt.Errorf("token %q is not <id>:<secret>", token)
	}
	return bot{user: User{ID: n, First: "Mews", Username: username, Bot: true}, token: token}, nil
}

// lifetime has the goroutines of a server.
type lifetime struct {
	ctx context.Context // ends with the server
	// guarded by the state's mutex; what is begun after this is not waited for
	closing bool
	sync.WaitGroup
}
