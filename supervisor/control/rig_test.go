package control_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/go-hclog"
	"go.uber.org/goleak"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
	"mews/supervisor/inbox"
	"mews/supervisor/reply"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// people has the users ann and bob. The test's process belongs to an admin, unless one of the
// fields is set.
type people struct{ stranger, plain atomic.Bool }

func (p *people) FindSpeaker(_ uint32, as string) (supervisor.User, error) {
	switch {
	case p.stranger.Load():
		return supervisor.User{}, &supervisor.Error{Code: supervisor.CodeForbidden, Message: "You are a stranger."}
	case as == "" || as == "ann":
		return supervisor.User{Name: "ann", Home: "/homes/ann"}, nil
	case as == "bob":
		return supervisor.User{Name: "bob", Home: "/homes/bob"}, nil
	}
	return supervisor.User{}, &supervisor.Error{Code: supervisor.CodeNotFound, Message: "There is no such user."}
}

func (p *people) IsKnown(uint32) bool { return !p.stranger.Load() }
func (p *people) IsAdmin(uint32) bool { return !p.stranger.Load() && !p.plain.Load() }

// outbox is a real outbox that reports deliveries that were taken.
type outbox struct {
	sqlite.Outbox
	delivered chan int64

	mu    sync.Mutex
	fails int // number of further calls of MarkDelivered that fail
}

func (o *outbox) MarkDelivered(ctx context.Context, id int64) error {
	o.mu.Lock()
	o.fails--
	fails := o.fails >= 0
	o.mu.Unlock()
	if fails {
		return errors.New("the process ends just here")
	}
	err := o.Outbox.MarkDelivered(ctx, id)
	o.delivered <- id
	return err
}

func (o *outbox) fail(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fails = n
}

// rig is a control socket over a real database. If one of its methods fails, the test ends.
type rig struct {
	testing.TB
	db       *sqlite.DB
	feeds    reply.Feeds
	people   people
	outbox   *outbox
	options  control.Options
	spool    *spool.Spool
	path     string
	accepted chan supervisor.Inbound
}

// methodStatus is a method of Options.Methods. It returns a status.
const methodStatus = "status"

type status struct {
	Version string `json:"version"`
}

func newRig(t testing.TB) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "mews") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	h := &rig{TB: t, db: sqlitetest.Open(t), path: filepath.Join(dir, "s"), accepted: make(chan supervisor.Inbound, 1000)}
	h.spool, err = spool.Open(filepath.Join(dir, "spool"))
	h.must(err)
	t.Cleanup(func() { h.spool.Close() })
	h.outbox = &outbox{Outbox: h.db.Outbox(), delivered: make(chan int64, 1000)}
	h.options = control.Options{
		People: &h.people, Conversations: h.db.Conversations(), Outbox: h.outbox, Feeds: &h.feeds, Blobs: h.db.Blobs(), Spool: h.spool,
		Lines: h.db.Inbox(),
		Inbox: inbox.New(inbox.Options{Store: h.db.Inbox(), Gate: openGate{}, Queued: h.feeds.NotifyDelivery,
			Accepted: func(in supervisor.Inbound) { h.accepted <- in }}),
		Greet: func(context.Context, supervisor.User) control.JoinChatResult {
			return control.JoinChatResult{Version: "1.2", Model: "offline"}
		},
		Methods: map[string]control.MethodHandler{methodStatus: func(context.Context, uint32, *protocol.Request) (any,
			error) {
			return status{Version: "1.2"}, nil
		}},
		Log: hclog.NewNullLogger(),
	}
	return h
}

// openGate is a gate that lets every message through.
type openGate struct{}

func (openGate) Check(context.Context, supervisor.Inbound) (m supervisor.GateDecision, err error) {
	return m, nil
}

// live serves the socket until the test ends, or calls the returned function.
func (h *rig) live() (end func()) {
	h.Helper()
	s, err := control.Listen(h.path, h.options)
	h.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- s.Run(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-ran; err != nil {
			h.Error(err)
		}
	})
	h.Cleanup(end)
	return end
}

func (h *rig) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *rig) conversation(user, chat string) supervisor.Conversation {
	h.Helper()
	c, err := h.db.Conversations().FindOrCreate(h.Context(), user, supervisor.ChannelTerminal, chat, "")
	h.must(err)
	return c
}

// begin starts the turn of the next waiting message, and opens its reply.
func (h *rig) begin() (supervisor.Turn, *reply.Stream) {
	h.Helper()
	turn, _, err := h.db.Turns().Start(h.Context(), (<-h.accepted).ID, nil)
	h.must(err)
	return turn, h.feeds.OpenStream(turn, "")
}

func (h *rig) finish(turn supervisor.Turn, s *reply.Stream, text string) {
	h.Helper()
	_, err := h.db.Turns().Finish(h.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered, Text: text})
	h.must(err)
	s.Close()
}

// answer answers the next waiting message.
func (h *rig) answer(text string) {
	h.Helper()
	turn, s := h.begin()
	h.finish(turn, s, text)
}

// notice sends ann a notice.
func (h *rig) notice(text string) int64 {
	h.Helper()
	return h.noticeIn(h.conversation("ann", ""), text)
}

func (h *rig) noticeIn(c supervisor.Conversation, text string) int64 {
	h.Helper()
	d, err := h.db.Outbox().PutTextNotice(h.Context(), c.ID, text)
	h.must(err)
	h.feeds.NotifyDelivery(c.ID)
	return d.ID
}

// pending returns the texts of ann's deliveries that no client has taken.
func (h *rig) pending() []string {
	h.Helper()
	list, err := h.db.Outbox().ListPending(h.Context(), h.conversation("ann", "").ID, 0, 1000)
	h.must(err)
	var texts []string
	for _, d := range list {
		texts = append(texts, d.Text)
	}
	return texts
}

func (h *rig) inbounds() int {
	h.Helper()
	counts, err := h.db.StatusCounts(h.Context())
	h.must(err)
	n := 0
	for _, some := range counts.Inbounds {
		n += int(some)
	}
	return n
}

// attached and lost are events that a screen reports.
type attached struct {
	control.JoinChatResult
	again bool
}
type lost struct{ err error }

// recordingScreen is a screen that records its events. It takes all deliveries, unless leaves is
// set.
type recordingScreen struct {
	events chan any
	leaves bool
}

func (s *recordingScreen) ShowConnected(a control.JoinChatResult, again bool) {
	s.events <- attached{a, again}
}
func (s *recordingScreen) ShowProgress(show control.Progress) { s.events <- show }
func (s *recordingScreen) ShowLine(l control.Line)            { s.events <- l }
func (s *recordingScreen) ShowConnectionLost(err error)       { s.events <- lost{err} }
func (s *recordingScreen) ShowDelivery(d control.Delivery) bool {
	s.events <- d
	return !s.leaves
}

// client is a chat with its screen.
type client struct {
	*control.Chat
	*recordingScreen
	ran chan error
	end func()
}

// attach joins a conversation, and returns when the chat has joined. The chat ends with the test at
// the latest.
func (h *rig) attach(a control.JoinChatRequest) *client {
	h.Helper()
	v := h.startAttach(a, false)
	next[attached](h, v)
	return v
}

// startAttach starts a chat that joins a conversation.
func (h *rig) startAttach(a control.JoinChatRequest, leaves bool) *client {
	v := &client{recordingScreen: &recordingScreen{events: make(chan any, 10_000), leaves: leaves},
		ran: make(chan error, 1)}
	v.Chat = control.NewChat(h.path, a, v.recordingScreen)
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		v.ran <- v.Run(ctx, 0)
	}()
	v.end = func() {
		cancel()
		<-stopped
	}
	h.Cleanup(v.end)
	return v
}

// say sends a text. A refusal fails the test.
func (v *client) say(h *rig, text string) control.InputReceipt {
	h.Helper()
	said, err := v.SendMessage(h.Context(), control.NewMessageKey(), text)
	h.must(err)
	return said
}

// next returns the client's next event of type T, and skips all other events.
func next[T any](h *rig, v *client) T {
	h.Helper()
	for {
		select {
		case e := <-v.events:
			if wanted, ok := e.(T); ok {
				return wanted
			}
		case <-h.Context().Done():
			h.Fatal("the test is over")
		case err := <-v.ran:
			h.Fatalf("the chat has ended: %v", err)
		}
	}
}

// texts returns the next n deliveries.
func (v *client) texts(h *rig, n int) []string {
	h.Helper()
	var texts []string
	for range n {
		texts = append(texts, next[control.Delivery](h, v).Text)
	}
	return texts
}

// rest returns the deliveries that have come but were not read.
func (v *client) rest() []string {
	var texts []string
	for len(v.events) > 0 {
		if d, ok := (<-v.events).(control.Delivery); ok {
			texts = append(texts, d.Text)
		}
	}
	return texts
}

func numbers(from, to int) []string {
	var list []string
	for i := from; i <= to; i++ {
		list = append(list, fmt.Sprint(i))
	}
	return list
}
