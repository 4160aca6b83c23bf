package hostcall_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite/sqlitetest"
)

// systemRig is a rig whose worker sends a system text, and tells with which one the model was
// asked.
type systemRig struct {
	*rig
	asked string
	read  string // the messages
	turns int
}

func newSystemRig(t *testing.T) *systemRig {
	s := &systemRig{}
	s.rig = newRig(t, func(_ context.Context, req modelcall.Request, _ func(string)) (protocol.Message, error) {
		s.asked, s.read = req.System, fmt.Sprint(req.Messages)
		return protocol.UserText("yes"), nil
	})
	s.options.Cache = 5 * time.Minute
	s.finish()
	return s
}

// step has the worker ask with a text in a turn of its own. It sends no text but the hash of it
// with bare.
func (s *systemRig) step(text string, bare bool) error {
	s.t.Helper()
	s.asked = ""
	params := s.modelStream()
	params.System = protocol.SystemRef{Hash: hash(text), Text: text}
	if bare {
		params.System.Text = ""
	}
	_, err := s.call(protocol.MethodModelStream, params)
	return err
}

// sends has the worker ask in a turn of its own, and checks with what the model was asked.
func (s *systemRig) sends(text, want string) {
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

// passes has time pass since all that was said.
func (s *systemRig) passes(d time.Duration) {
	for _, column := range []string{"system_text SET renewed_at", "message SET created_at"} {
		name := column[strings.LastIndex(column, " ")+1:]
		sqlitetest.Change(s.t, s.db, fmt.Sprintf("UPDATE %s = %s - %d", column, name, d.Milliseconds()))
	}
}

// goStale says that the text must not be used any more.
func (s *systemRig) goStale() {
	sqlitetest.Change(s.t, s.db, "UPDATE system_text SET text = '', stale = stale + 1 WHERE user = 'ann'")
}

func TestASystemTextStaysUntilAnotherCostsNothing(t *testing.T) {
	s := newSystemRig(t)
	conversation := s.open.Turn.Conversation.ID
	s.sends("one", "one")
	s.sends("two", "one")
	s.passes(4 * time.Minute)
	s.sends("three", "one")
	s.passes(2 * time.Minute) // since the last answer
	s.sends("three", "one")
	s.passes(6 * time.Minute) // nothing was asked for longer than a cache keeps it
	s.sends("four", "four")
	s.sends("five", "four")
	if err := s.db.Transcript().Restart(t.Context(), conversation); err != nil {
		t.Fatal(err)
	}
	s.sends("six", "six")
	s.sends("seven", "six")
	s.options.History = 10 // which the newest message alone is over
	s.sends("eight", "eight")
	s.options.History = 10_000
	s.sends("nine", "eight")
	s.goStale()
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

// What is said while a text is put together holds for the next one.
func TestAStaleSystemTextIsPutTogetherAnew(t *testing.T) {
	s := newSystemRig(t)
	s.sends("one", "one")
	s.begin()
	for range 3 {
		s.goStale()
		for _, bare := range []bool{true, true} { // it must be sent whole, whatever was sent before
			if err := s.step("one", bare); wireCode(err) != protocol.CodeUnknownHash {
				t.Fatalf("a stale text was taken: %v", err)
			}
		}
	}
	sqlitetest.Change(t, s.db, `UPDATE message SET parts = replace(parts, 'hello', 'gone') WHERE id = 1`)
	s.goStale()
	if err := s.step("one", true); wireCode(err) != protocol.CodeUnknownHash {
		t.Fatalf("a stale text was taken: %v", err)
	}
	if err := s.step("two", false); err != nil || s.asked != "two" || !strings.Contains(s.read, "gone") {
		t.Fatalf("asked with %q and %s, %v", s.asked, s.read, err)
	}
	s.finish()
	s.sends("three", "two")
}

func TestAResumedTurnAsksAsItDid(t *testing.T) {
	s := newSystemRig(t)
	s.sends("one", "one")
	s.passes(time.Hour)
	s.begin()
	if err := s.step("two", false); err != nil || s.asked != "two" {
		t.Fatalf("asked with %q, %v", s.asked, err)
	}
	sqlitetest.Change(t, s.db, "UPDATE turn SET ended_at = NULL, why = NULL WHERE id = "+fmt.Sprint(s.open.Turn.ID))
	s.conn, s.peer = s.newConn("ann")
	s.conn.BeginTurn(s.turn())
	if err := s.step("three", false); err != nil || s.asked != "two" {
		t.Errorf("asked with %q, %v", s.asked, err)
	}
}
