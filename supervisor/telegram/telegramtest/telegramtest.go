// Package telegramtest is a Bot API server for tests: it answers over real HTTP as Telegram's own
// does, with its limits, its words and its ways of failing, and it keeps what was asked of it and
// what stands in each chat.
//
// The rules are those of Telegram's published server (tdlib/telegram-bot-api) and of its
// documentation. Where a test wants to know what a person sees, it looks at Sent; where it wants to
// know what was asked, at Calls; what a good client never does is in Violations.
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

// Options is how a server is. The zero value is a server with no limits on rates.
type Options struct {
	Token    string // "" is "42:TEST-token"; what is before the colon is the bot's id
	Username string // "" is "mews_bot"

	NextUpdate  int64 // the first update's id; 0 is 500001
	NextMessage int64 // the first message's id, of each counter; 0 is 1

	// Speed divides what the server waits by itself: the webhook's retries and the conflicts that
	// it holds back. 0 is 1.
	Speed float64
	// HookTimeout is how long a webhook may take for one update; 0 is 60 s. Speed does not change
	// it.
	HookTimeout time.Duration

	// Check is called with the updates that a getUpdates with an offset, or a 2xx of the webhook,
	// is about to confirm, before they are forgotten. It may call the server's methods.
	Check func(updates []int64)

	// Seen is called with each request when it has come and been read, before it is answered. It
	// may call the server's methods; until it returns the request waits.
	Seen func(Call)

	// Files is the folder of a server that was started with --local: getFile puts files of any size
	// there, and none is served.
	Files string

	Rates  Rates            // what is watched for; the zero value is nothing
	Strict bool             // each violation is an error of the test when it ends
	Now    func() time.Time // nil is time.Now
}

// Rates is how much a good client sends. What is more is a violation and is answered as usual. 0 is
// not watched.
type Rates struct {
	All    int           // a second, to all chats
	Chat   int           // within Window, to one chat
	Window time.Duration // 0 is 1 s
	Group  int           // within any minute, to one group, supergroup or channel
	Slack  time.Duration // by which requests may come closer than they were sent; 0 is 50 ms
}

// User is somebody on Telegram.
type User struct {
	ID       int64
	First    string // "" is "U" and the id
	Username string
	Bot      bool
}

// Chat is where they talk.
type Chat struct {
	ID    int64
	Type  string // private, group, supergroup, channel; "" is told from the id
	Title string
	Forum bool // a supergroup with topics
}

// Private is the chat of one person with the bot.
func Private(u User) Chat { return Chat{ID: u.ID, Type: "private", Title: u.First} }

// Server is a Bot API server. Its methods may be called from any goroutine.
type Server struct {
	People // what people and Telegram itself do
	Record // what was seen

	state *serverState
	http  *http.Server
	addr  string
	down  context.CancelFunc
}

// New starts a server on 127.0.0.1. It ends with the test.
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

// close ends the server and everything that it has started, and has a strict test fail for what it
// has seen.
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

// Died tells the server that its client was killed with SIGKILL at some time: that it did not keep
// what it was refused a moment before is no violation. Nobody can keep what they are killed over.
func (s *Server) Died(at time.Time) { s.state.change(func() { s.state.limits.died(at) }) }

// connState sees connections end.
func (s *Server) connState(c net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		s.state.change(func() {
			s.state.disconnects++
			s.state.limits.closed(c, s.state.now())
		})
	}
}

// Disconnects is how many connections have ended.
func (s *Server) Disconnects() int { return look(s.state, func() int { return s.state.disconnects }) }

// URL is the server's root, as a client is configured with it.
func (s *Server) URL() string { return "http://" + s.addr }

// Token is the bot's token now.
func (s *Server) Token() string {
	return look(s.state, func() string { return s.state.bot.token })
}

// BotID is the bot's id.
func (s *Server) BotID() int64 { return s.state.bot.user.ID }

// Revoke has the token refused from now on.
func (s *Server) Revoke() { s.state.change(func() { s.state.bot.revoked = true }) }

// SetToken gives the bot another token: one that was refused is repaired, an older one is refused.
func (s *Server) SetToken(token string) {
	s.state.change(func() { s.state.bot.token, s.state.bot.revoked = token, false })
}

// Fault has requests fail. The function that it returns ends that.
func (s *Server) Fault(f Fault) (end func()) {
	var added *fault
	s.state.change(func() { added = s.state.faults.add(f, s.state.now()) })
	return func() { s.state.change(func() { added.left = 0 }) }
}

// SetFlood turns flood control on: a chat that gets more than n messages or edits within a window
// is refused for retryAfter seconds. n 0 turns it off.
func (s *Server) SetFlood(n int, window time.Duration, retryAfter int) {
	s.state.change(func() { s.state.limits.control = floodControl{n: n, window: window, retryAfter: retryAfter} })
}

// Advance moves the server's clock.
func (s *Server) Advance(d time.Duration) { s.state.change(func() { s.state.clockAhead += d }) }

// Await waits until cond holds, and looks again at whatever changes. It gives the test up after two
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
		// what takes long to look at is not looked at all the time
		dear := time.After(4 * time.Since(began))
		if !waitFor(changed, deadline.C) || !waitFor(dear, deadline.C) {
			t.Fatalf("waited two minutes for %s\n%s", what, s.Dump())
		}
	}
}

// waitFor waits for c, but not beyond the deadline.
func waitFor[T any](c <-chan T, deadline <-chan time.Time) bool {
	select {
	case <-c:
		return true
	case <-deadline:
		return false
	}
}

// bot is the account that the token is for.
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

// lifetime is what a server has started.
type lifetime struct {
	ctx context.Context // ends with the server
	// guarded by the state's mutex; what is begun after this is not waited for
	closing bool
	sync.WaitGroup
}
