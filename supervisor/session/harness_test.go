package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/reply"
	"mews/supervisor/session"
	"mews/supervisor/slash"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// runnerFunc is a function that runs attempts.
type runnerFunc func(ctx context.Context, a session.Attempt) (session.AttemptEnd, error)

func (w runnerFunc) Run(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
	end, err := w(ctx, a)
	if err == nil {
		err = a.CheckEnd(end.TurnEnd)
	}
	return end, err
}

// harness is a registry on a real database. If one of its methods fails, the test ends.
type harness struct {
	*testing.T
	db       *sqlite.DB
	feeds    reply.Feeds
	options  session.Options
	registry *session.Registry
	mu       sync.Mutex // guards the fields below
	keys     int
	offences []string // offences that were audited
}

func newHarness(t *testing.T, w runnerFunc) *harness {
	t.Helper()
	h := &harness{T: t}
	h.on(sqlitetest.Open(t), w)
	return h
}

// on connects the registry with a database and a runner.
func (h *harness) on(db *sqlite.DB, w session.Runner) {
	h.db = db
	h.options = session.Options{
		Inbox: h.db.Inbox(), Turns: h.db.Turns(), Waiting: h.db.Turns(), LastSteps: h.db.Turns(), Notices: h.db.Outbox(), Runner: w, Feeds: &h.feeds,
		Limits: protocol.TurnLimits{Steps: 50, Seconds: 900, Output: 1000}, Now: time.Now, Log: hclog.NewNullLogger(),
		Audit: func(user, action, detail string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.offences = append(h.offences, user+" "+action+" "+detail)
		},
	}
}

// live starts the registry. It runs until end is called or the test ends.
func (h *harness) live() (end func()) {
	h.Helper()
	return h.liveAs(session.New(h.options))
}

// liveAs starts an existing registry, as live does.
func (h *harness) liveAs(r *session.Registry) (end func()) {
	h.registry = r
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- r.Run(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-ran; err != nil {
			h.Error(err)
		}
	})
	h.Cleanup(end)
	return end
}

func must[T any](h *harness, v T, err error) T {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
	return v
}

func (h *harness) conversation(user, chat string) supervisor.Conversation {
	h.Helper()
	c, err := h.db.Conversations().FindOrCreate(h.Context(), user, supervisor.ChannelTerminal, chat, "")
	return must(h, c, err)
}

// keep stores a text, without waking the registry.
func (h *harness) keep(c supervisor.Conversation, text string) supervisor.Inbound {
	return h.put(c, supervisor.KindText, text)
}

// command stores a command, without waking the registry.
func (h *harness) command(c supervisor.Conversation) int64 {
	return h.put(c, supervisor.KindCommand, "/stop").ID
}

// stop stops the turn that a command is about, and returns the result.
func (h *harness) stop(c supervisor.Conversation, command int64) sqlite.PrecedingText {
	h.Helper()
	ahead, err := h.registry.StopTurn(h.Context(), c, command)
	return must(h, ahead, err)
}

func (h *harness) put(c supervisor.Conversation, kind supervisor.InboundKind, text string) supervisor.Inbound {
	h.mu.Lock()
	h.keys++
	key := fmt.Sprint("key-", h.keys)
	h.mu.Unlock()
	in := supervisor.Inbound{Conversation: c, Source: "test", Key: key, Kind: kind, Text: text}
	in.Command, _ = slash.Parse(text)
	in, _, err := h.db.Inbox().StoreInbound(h.Context(), in)
	if err != nil {
		h.Error(err)
	}
	return in
}

func (h *harness) say(c supervisor.Conversation, text string) supervisor.Inbound {
	in := h.keep(c, text)
	h.registry.WakeSession(c)
	return in
}

// outbox lists the deliveries of a conversation.
func (h *harness) outbox(c supervisor.Conversation) []supervisor.Delivery {
	h.Helper()
	list, err := h.db.Outbox().List(h.Context(), c.ID, 0, 1000)
	return must(h, list, err)
}

// await waits until a conversation has n deliveries.
func (h *harness) await(c supervisor.Conversation, n int) []supervisor.Delivery {
	h.Helper()
	w := h.feeds.WatchConversation(c.ID)
	defer w.Close()
	for {
		if list := h.outbox(c); len(list) >= n {
			return list
		}
		if _, err := w.NextUpdate(h.Context()); err != nil {
			h.Fatal(err)
		}
	}
}

func (h *harness) open(c supervisor.Conversation) (sqlite.RunningTurn, bool) {
	h.Helper()
	open, ok, err := h.db.Turns().FindRunning(h.Context(), c.ID)
	must(h, open, err)
	return open, ok
}

func (h *harness) inbounds(state supervisor.InboundState) int {
	h.Helper()
	counts, err := h.db.StatusCounts(h.Context())
	return int(must(h, counts, err).Inbounds[state])
}

// commit stores a step of an attempt, as the worker's connection does.
func (h *harness) commit(a session.Attempt, text string, calls ...string) {
	m := protocol.Message{Role: protocol.RoleAssistant}
	if text != "" {
		m.Parts = append(m.Parts, protocol.ContentPart{Text: text})
	}
	for _, id := range calls {
		m.Parts = append(m.Parts, protocol.ContentPart{Call: &protocol.ToolCall{ID: id, Name: "write_file",
			Arguments: json.RawMessage(`{}`)}})
	}
	if _, err := h.db.Turns().CommitStep(h.Context(), sqlite.Step{Turn: a.Turn.ID, Message: m, Model: "test"}); err != nil {
		h.Error(err)
	}
	a.Stream.CommitStep(text)
}

// question returns the message that an attempt's turn answers.
func (h *harness) question(a session.Attempt) string {
	open, _ := h.open(a.Turn.Conversation)
	return open.Messages[0].Text()
}

// echo runs an attempt whose answer repeats the message.
func (h *harness) echo(_ context.Context, a session.Attempt) (session.AttemptEnd, error) {
	h.commit(a, "re: "+h.question(a))
	return done, nil
}

var done = ended(protocol.TurnEndDone)

func ended(why protocol.TurnEndReason) session.AttemptEnd {
	return session.AttemptEnd{TurnEnd: protocol.TurnEnd{Why: why}}
}
