package sqlite_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/slash"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// noon is the time at which a story's clock starts.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// story is a database with the conversation of a user, alice. Its methods end the test if they
// fail.
type story struct {
	*testing.T
	db   *sqlite.DB
	path string
	now  time.Time               // the clock's time; tests change it between writes
	home supervisor.Conversation // alice's conversation in the terminal
	keys int

	parts string // parts of the next inbound, as JSON
}

func newStory(t *testing.T) *story {
	t.Helper()
	s := &story{T: t, path: filepath.Join(t.TempDir(), "mews.db"), now: noon}
	s.db = sqlitetest.OpenPath(t, s.path, sqlite.Options{Now: func() time.Time { return s.now }})
	s.home = s.conversation("alice")
	return s
}

func (s *story) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// checkRefused checks that err has a code and contains some words.
func (s *story) checkRefused(err error, code supervisor.ErrorCode, words string) {
	s.Helper()
	if supervisor.ErrorCodeOf(err) != code || !strings.Contains(err.Error(), words) {
		s.Errorf("got error %v with code %q, want one with code %q that says %q", err, supervisor.ErrorCodeOf(err),
			code,
			words)
	}
}

func (s *story) same(what string, got, want any) {
	s.Helper()
	if d := cmp.Diff(want, got); d != "" {
		s.Errorf("%s: (-want +got)\n%s", what, d)
	}
}

func (s *story) conversation(user string) supervisor.Conversation {
	s.Helper()
	c, err := s.db.Conversations().FindOrCreate(s.Context(), user, supervisor.ChannelTerminal, "", "")
	s.must(err)
	return c
}

// chat returns a user's conversation in a Telegram chat.
func (s *story) chat(user, chat string) supervisor.Conversation {
	s.Helper()
	c, err := s.db.Conversations().FindOrCreate(s.Context(), user, supervisor.ChannelTelegram, chat, "")
	s.must(err)
	return c
}

// notice puts a notice for a conversation into the outbox.
func (s *story) notice(c supervisor.Conversation, text string) supervisor.Delivery {
	s.Helper()
	d, err := s.db.Outbox().PutTextNotice(s.Context(), c.ID, text)
	s.must(err)
	return d
}

// close stores an outcome of a delivery.
func (s *story) close(d supervisor.Delivery, outcome supervisor.DeliveryResult, why string, told ...int64) {
	s.Helper()
	s.must(s.db.Outbox().StoreOutcome(s.Context(), supervisor.DeliveryOutcome{Delivery: d.ID, Outcome: outcome,
		Why: why, ReportedDeliveries: told}))
}

// pendingTexts returns the texts of the pending deliveries to a conversation.
func (s *story) pendingTexts(c supervisor.Conversation) (texts []string) {
	s.Helper()
	list, err := s.db.Outbox().ListPending(s.Context(), c.ID, 0, 1000)
	s.must(err)
	for _, d := range list {
		texts = append(texts, d.Text)
	}
	return texts
}

func (s *story) put(c supervisor.Conversation, kind supervisor.InboundKind, text string) supervisor.Inbound {
	s.Helper()
	s.keys++
	in := supervisor.Inbound{Conversation: c, Source: "terminal", Key: fmt.Sprint("key-", s.keys), Kind: kind, Text: text}
	if kind == supervisor.KindCommand {
		in.Command, _ = slash.Parse(text)
	}
	in, fresh, err := s.db.Inbox().StoreInbound(s.Context(), in)
	s.must(err)
	if !fresh {
		s.Fatalf("%q was there before", text)
	}
	return in
}

func (s *story) text(text string) supervisor.Inbound {
	s.Helper()
	return s.put(s.home, supervisor.KindText, text)
}

// startTurn starts a turn of alice.
func (s *story) startTurn(text string) supervisor.Turn {
	s.Helper()
	turn, _, err := s.db.Turns().Start(s.Context(), s.text(text).ID, nil)
	s.must(err)
	return turn
}

// startTurnCalling starts a turn whose model has called read_file, once for each id in calls.
func (s *story) startTurnCalling(calls ...string) supervisor.Turn {
	s.Helper()
	turn := s.startTurn("read my notes")
	_, err := s.db.Turns().CommitStep(s.Context(), step(turn, "", calls...))
	s.must(err)
	return turn
}

func (s *story) finish(turn supervisor.Turn, text string) supervisor.Delivery {
	s.Helper()
	d, err := s.db.Turns().Finish(s.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered, Text: text, Unanswered: "It was not run."})
	s.must(err)
	return d
}

func (s *story) transcript(c supervisor.Conversation) []protocol.Message {
	s.Helper()
	list, err := s.db.Transcript().ListMessages(s.Context(), c.ID)
	s.must(err)
	return list
}

// state returns the state of an inbound.
func (s *story) state(inbound int64) string {
	s.Helper()
	return s.query("SELECT state FROM inbox WHERE id = ?", inbound)
}

// query returns the first column of a query's rows, joined by spaces.
func (s *story) query(query string, args ...any) string {
	s.Helper()
	if s.db == nil {
		return strings.Join(sqlitetest.QueryColumnInCopy(s, s.path, query, args...), " ")
	}
	return strings.Join(sqlitetest.QueryColumn(s, s.db, query, args...), " ")
}

// step returns a message of the model with an optional text and calls of read_file.
func step(turn supervisor.Turn, text string, calls ...string) sqlite.Step {
	m := protocol.Message{Role: protocol.RoleAssistant}
	if text != "" {
		m.Parts = append(m.Parts, protocol.ContentPart{Text: text})
	}
	for _, id := range calls {
		m.Parts = append(m.Parts, protocol.ContentPart{Call: &protocol.ToolCall{ID: id, Name: "read_file",
			Arguments: json.RawMessage(`{"path":"a<b>&c"}`)}})
	}
	return sqlite.Step{Turn: turn.ID, Message: m, Model: "offline", Usage: protocol.Usage{Input: 10, Output: 2}}
}

func result(call, text string) protocol.ToolResult {
	return protocol.ToolResult{Call: call, Name: "read_file", Text: text}
}
