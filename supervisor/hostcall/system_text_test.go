package hostcall_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite/sqlitetest"
)

// systemRig is a rig whose worker sends system texts. It records the system texts that the model
// gets.
type systemRig struct {
	*rig
	asked string
	read  string // texts of the messages that the model has read
	turns int
}

func newSystemRig(t *testing.T) *systemRig {
	s := &systemRig{}
	s.rig = newRig(t, func(_ context.Context, req modelcall.Request, _ func(string)) (protocol.Message, error) {
		s.asked, s.read = req.System, fmt.Sprint(req.Messages)
		return protocol.NewUserMessage("yes"), nil
	})
	s.options.Cache = 5 * time.Minute
	s.finish()
	return s
}

// step runs a turn with a system text. If bare is true, the worker sends only the text's hash.
func (s *systemRig) step(text string, bare bool) error {
	s.t.Helper()
	s.asked = ""
	params := s.modelStream()
	params.System = protocol.SystemTextRef{Hash: hash(text), Text: text}
	if bare {
		params.System.Text = ""
	}
	_, err := s.call(protocol.MethodModelStream, params)
	return err
}

// expectText runs a turn with a system text, and checks which system text the model gets.
func (s *systemRig) expectText(text, want string) {
	s.t.Helper()
	s.begin()
	defer s.finish()
	if err := s.step(text, false); err != nil || s.asked != want {
		s.t.Errorf("sent %q: the model was asked with %q, %v; want %q", text, s.asked, err, want)
	}
}

func (s *systemRig) begin() {
	s.turns++
	s.open = s.startTurn("ann", fmt.Sprint("system ", s.turns))
	s.conn.BeginTurn(s.turn())
}

// pass makes all messages older by d.
func (s *systemRig) pass(d time.Duration) {
	for _, column := range []string{"system_text SET renewed_at", "message SET created_at"} {
		name := column[strings.LastIndex(column, " ")+1:]
		sqlitetest.ExecStatements(s.t, s.db, fmt.Sprintf("UPDATE %s = %s - %d", column, name, d.Milliseconds()))
	}
}

// markStale marks the stored system text as stale.
func (s *systemRig) markStale() {
	sqlitetest.ExecStatements(s.t, s.db, "UPDATE system_text SET text = '', stale = stale + 1 WHERE user = 'ann'")
}

func TestSystemText_CacheWarm_StaysUnchanged(t *testing.T) {
	s := newSystemRig(t)
	conversation := s.open.Turn.Conversation.ID
	s.expectText("one", "one")
	s.expectText("two", "one")
	s.pass(4 * time.Minute)
	s.expectText("three", "one")
	s.pass(2 * time.Minute) // 6 minutes since the first answer, but only 2 minutes since the last answer
	s.expectText("three", "one")
	s.pass(6 * time.Minute) // more time than the provider's cache lasts
	s.expectText("four", "four")
	s.expectText("five", "four")
	if err := s.db.Transcript().ClearWindow(t.Context(), conversation); err != nil {
		t.Fatal(err)
	}
	s.expectText("six", "six")
	s.expectText("seven", "six")
	s.options.History = 10 // now the newest message alone exceeds the limit
	s.expectText("eight", "eight")
	s.options.History = 10_000
	s.expectText("nine", "eight")
	s.markStale()
	s.options.Cache = 0
	s.conn, s.peer = s.newConn("ann")
	s.begin()
	if err := s.step("ten", false); wireCode(err) != protocol.CodeUnknownHash || s.asked != "" {
		t.Errorf("a text from before was taken: %q, %v", s.asked, err)
	}
	if err := s.step("eleven", false); err != nil || s.asked != "eleven" {
		t.Errorf("asked with %q, %v", s.asked, err)
	}
}

// TestSystemText_Stale_IsReplaced checks that a stale system text is replaced. A change while
// the new text is composed makes that text stale, too.
func TestSystemText_Stale_IsReplaced(t *testing.T) {
	s := newSystemRig(t)
	s.expectText("one", "one")
	s.begin()
	for range 3 {
		s.markStale()
		for _, bare := range []bool{true, true} { // the worker must send the new text in full, whatever it sent before
			if err := s.step("one", bare); wireCode(err) != protocol.CodeUnknownHash {
				t.Fatalf("a stale text was taken: %v", err)
			}
		}
	}
	sqlitetest.ExecStatements(t, s.db, `UPDATE message SET parts = replace(parts, 'hello', 'gone') WHERE id = 1`)
	s.markStale()
	if err := s.step("one", true); wireCode(err) != protocol.CodeUnknownHash {
		t.Fatalf("a stale text was taken: %v", err)
	}
	if err := s.step("two", false); err != nil || s.asked != "two" || !strings.Contains(s.read, "gone") {
		t.Fatalf("asked with %q and %s, %v", s.asked, s.read, err)
	}
	s.finish()
	s.expectText("three", "two")
}

func TestSystemText_ResumedTurn_StaysTheSame(t *testing.T) {
	s := newSystemRig(t)
	s.expectText("one", "one")
	s.pass(time.Hour)
	s.begin()
	if err := s.step("two", false); err != nil || s.asked != "two" {
		t.Fatalf("asked with %q, %v", s.asked, err)
	}
	sqlitetest.ExecStatements(t, s.db,
		"UPDATE turn SET ended_at = NULL, why = NULL WHERE id = "+fmt.Sprint(s.open.Turn.ID))
	s.conn, s.peer = s.newConn("ann")
	s.conn.BeginTurn(s.turn())
	if err := s.step("three", false); err != nil || s.asked != "two" {
		t.Errorf("asked with %q, %v", s.asked, err)
	}
}

// TestModelStream_TextNotInForce_IsRefused: the model is not called with a text that is not in
// force.
func TestModelStream_TextNotInForce_IsRefused(t *testing.T) {
	inForce, failure, reported := false, error(nil), 0
	asked := 0
	r := newRig(t, func(context.Context, modelcall.Request, func(string)) (protocol.Message, error) {
		asked++
		return protocol.Message{Parts: []protocol.ContentPart{{Text: "hi"}}}, nil
	})
	r.options.ReportPromptFiles = func(_ context.Context, turn feature.Turn, p *protocol.PromptFileReport) (bool,
		error) {
		if reported++; turn.ID != r.open.Turn.ID || turn.User != "ann" || p.Files[0].Path != "AGENTS.md" {
			t.Errorf("turn %+v reported %+v", turn, p)
		}
		return inForce, failure
	}
	p := r.modelStream()
	p.PromptFiles = &protocol.PromptFileReport{Files: []protocol.PromptFile{{Path: "AGENTS.md"}}}
	if _, err := r.call(protocol.MethodModelStream, p); wireCode(err) != protocol.CodeUnknownHash || asked != 0 {
		t.Errorf("another text in force: %v, asked %d times", err, asked)
	}
	failure = errors.New("no disk")
	if _, err := r.call(protocol.MethodModelStream, p); wireCode(err) != protocol.CodeFailed || asked != 0 {
		t.Errorf("a failed report: %v, asked %d times", err, asked)
	}
	inForce, failure = true, nil
	if _, err := r.call(protocol.MethodModelStream, p); err != nil || asked != 1 || reported != 3 {
		t.Errorf("the text in force: %v, asked %d times, reported %d times", err, asked, reported)
	}
}

// A task's answer may go to a group later. The text of its private turns is not used there, even
// while a provider's cache holds it.
func TestSystemText_InGroup_IsComposedAnew(t *testing.T) {
	s := newSystemRig(t)
	s.expectText("with memory", "with memory")
	s.options.Groups = &approval.GroupGuard{FindConversation: s.db.Conversations().FindConversation,
		HasRead: s.db.Taints().HasRead}
	to, err := s.db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTelegram, "-7", "")
	if err != nil {
		t.Fatal(err)
	}
	s.conn, s.peer = s.newConn("ann")
	s.open = s.startTurn("ann", "group")
	turn := s.turn()
	turn.Destination = to.ID
	s.conn.BeginTurn(turn)
	if err := s.step("without memory", false); err != nil || s.asked != "without memory" {
		t.Errorf("asked with %q, %v", s.asked, err)
	}
}
