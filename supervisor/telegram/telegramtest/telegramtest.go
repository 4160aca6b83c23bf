// Package telegramtest is a fake Bot API server. It answers over real HTTP as Telegram's server
// does, with the same limits, texts and failures.
//
// Its rules come from Telegram's published server (tdlib/telegram-bot-api) and its documentation.
// Tests read the messages in each chat, the requests of the client, and the violations: requests
// that a good client never makes.
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

// Options configure a server. The zero value is a server without rate limits.
type Options struct {
	Token    string // the bot's token; "" means "42:TEST-token"; the part before the colon is the bot's id
	Username string // the bot's user name; "" means "mews_bot"

	NextUpdate  int64 // the first update's id; 0 means 500001
	NextMessage int64 // the first message id of each counter; 0 means 1

	// Speed divides the server's own waits: the webhook's retries and delayed conflicts. 0 means 1.
	Speed float64
	// HookTimeout limits how long a webhook may take for one update; 0 means 60 s. Speed does not
	// change it.
	HookTimeout time.Duration

	// BeforeConfirm is called before updates are confirmed by a getUpdates with an offset or by the
	// webhook's 2xx. It may call the server's methods.
	BeforeConfirm func(updates []int64)

	// OnRequest is called with each complete request. The request is answered after OnRequest
	// returns. It may call the server's methods.
	OnRequest func(APICall)

	// Files is the folder of a server with --local: getFile puts files of any size into it, and the
	// server serves no file over HTTP.
	Files string

	// Listen opens the server's address; nil means a free port of 127.0.0.1.
	Listen func() (net.Listener, error)

	Rates  SendRates        // the most messages that a good client sends; the zero value means no limits
	Strict bool             // whether every violation fails the test at its end
	Now    func() time.Time // returns the current time; nil means time.Now
}

// SendRates are the most messages that a good client sends. Further messages are violations, but
// are answered as usual. 0 means no limit.
type SendRates struct {
	All    int           // messages a second to all chats together
	Chat   int           // messages to one chat within Window
	Window time.Duration // the period in which Chat messages are allowed; 0 means 1 s
	Group  int           // messages within any minute to one group, supergroup or channel
	// Slack is the allowed error of Window, because requests may arrive closer together than they
	// were sent. 0 means 50 ms.
	Slack time.Duration
}

// User is a user on Telegram.
type User struct {
	ID       int64
	First    string // first name; "" means "U" and the id
	Username string
	Bot      bool
	Language string // the IETF tag of the language; "" means none
}

// Chat is a chat on Telegram.
type Chat struct {
	ID    int64
	Type  string // private, group, supergroup or channel; "" means the type that the id implies
	Title string
	Forum bool // whether the chat is a supergroup with topics
}

// PrivateChat returns the private chat of a user with the bot.
func PrivateChat(u User) Chat { return Chat{ID: u.ID, Type: "private", Title: u.First} }

// Server is a fake Bot API server. Its methods may be called from any goroutine.
type Server struct {
	People    // actions of people and of Telegram itself
	Inspector // records of everything that the server has seen

	state *serverState
	http  *http.Server
	addr  string
	down  context.CancelFunc
}

// New starts a server on 127.0.0.1, which ends with the test.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	w, err := newServerState(o)
	if err != nil {
		t.Fatalf("start a Bot API server: %v", err)
	}
	if o.Listen == nil {
		o.Listen = func() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
	}
	listener, err := o.Listen()
	if err != nil {
		t.Fatalf("start a Bot API server: %v", err)
	}
	ctx, down := context.WithCancel(context.Background())
	w.lifetime.ctx = ctx
	s := &Server{People: People{w}, Inspector: Inspector{w}, state: w, addr: listener.Addr().String(), down: down}
	s.http = &http.Server{
		Handler:     s,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: withConn,
		ConnState:   s.connState,
	}
	w.lifetime.Go(func() { _ = s.http.Serve(listener) }) // Serve returns an error when the server closes
	t.Cleanup(func() { s.end(t) })
	return s
}

// begin registers a running request. It fails if the server is closing.
func (w *serverState) begin() bool {
	open := false
	w.read(func() {
		if open = !w.lifetime.closing; open {
			w.lifetime.Add(1)
		}
	})
	return open
}

// Close ends the server and its goroutines. Without it, they end with the test.
func (s *Server) Close(t testing.TB) {
	s.state.change(func() { s.state.lifetime.closing = true })
	s.down()
	if err := s.http.Close(); err != nil {
		t.Errorf("close the Bot API server: %v", err)
	}
	s.state.lifetime.Wait()
}

// end closes the server. A strict test fails if there were violations.
func (s *Server) end(t testing.TB) {
	s.Close(t)
	if !s.state.options.Strict {
		return
	}
	for _, v := range s.Violations() {
		t.Errorf("the Bot API server saw: %s", v)
	}
}

// RecordClientKill tells the server that its client was killed at a time. The client may then
// forget a refusal from just before that time.
func (s *Server) RecordClientKill(at time.Time) {
	s.state.change(func() { s.state.limits.clientKilled(at) })
}

// connState records closed connections.
func (s *Server) connState(c net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		s.state.change(func() {
			s.state.disconnects++
			s.state.limits.connClosed(c, s.state.now())
		})
	}
}

// CountDisconnects returns the number of closed connections.
func (s *Server) CountDisconnects() int {
	return readValue(s.state, func() int { return s.state.disconnects })
}

// URL returns the server's root, for a client's configuration.
func (s *Server) URL() string { return "http://" + s.addr }

// Token returns the bot's current token.
func (s *Server) Token() string {
	return readValue(s.state, func() string { return s.state.bot.token })
}

// BotID returns the bot's id.
func (s *Server) BotID() int64 { return s.state.bot.user.ID }

// RevokeToken revokes the token.
func (s *Server) RevokeToken() { s.state.change(func() { s.state.bot.revoked = true }) }

// SetToken gives the bot another token. The bot then works again if its token was revoked. Older
// tokens are refused.
func (s *Server) SetToken(token string) {
	s.state.change(func() { s.state.bot.token, s.state.bot.revoked = token, false })
}

// InjectFault makes requests fail until the test calls end.
func (s *Server) InjectFault(f Fault) (end func()) {
	var added *fault
	s.state.change(func() { added = s.state.faults.add(f, s.state.now()) })
	return func() { s.state.change(func() { added.left = 0 }) }
}

// SetFloodControl sets flood control. A chat with more than n messages or edits within the window
// is refused for retryAfter seconds. If n is 0, flood control is off.
func (s *Server) SetFloodControl(n int, window time.Duration, retryAfter int) {
	s.state.change(func() {
		s.state.limits.control = floodControl{maxSends: n, window: window,
			retryAfter: retryAfter}
	})
}

// AdvanceClock moves the server's clock forward.
func (s *Server) AdvanceClock(d time.Duration) { s.state.change(func() { s.state.clockAhead += d }) }

// WaitUntil waits until cond is true, and checks it after each change. It fails the test after two
// minutes. cond may call the server's methods.
func (s *Server) WaitUntil(t testing.TB, what string, cond func() bool) {
	t.Helper()
	deadline := time.NewTimer(2 * time.Minute)
	defer deadline.Stop()
	for {
		changed := s.state.changes.Wait()
		began := time.Now()
		if cond() {
			return
		}
		// between two calls of a slow cond there is a pause
		dear := time.After(4 * time.Since(began))
		if !waitFor(changed, deadline.C) || !waitFor(dear, deadline.C) {
			t.Fatalf("waited two minutes for %s\n%s", what, s.DumpState())
		}
	}
}

// waitFor waits until c has a value. It reports false at the deadline.
func waitFor[T any](c <-chan T, deadline <-chan time.Time) bool {
	select {
	case <-c:
		return true
	case <-deadline:
		return false
	}
}

// bot is the bot with the server's token.
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

// lifetime counts a server's goroutines and ends them.
type lifetime struct {
	ctx context.Context // context that ends when the server closes
	// closing means that no request may begin. The state's mutex guards it.
	closing bool
	sync.WaitGroup
}
