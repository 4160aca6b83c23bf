package sqlite_test

import (
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// TestRequeueParked_QueuesEachTextOnce covers a parked turn of two messages. Only the button of its
// own conversation queues the messages, and only once.
func TestRequeueParked_QueuesEachTextOnce(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("one")
	s.text("two")
	s.same("taken", s.take(turn), 1)
	sqlitetest.ExecStatements(t, s.db, `UPDATE inbox SET parts = '[{"text":"a file"}]', quote = 'before' WHERE text `+
		`= 'one'`)
	d, err := s.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndError,
		State: supervisor.InboundParked, Text: "It crashed."})
	s.must(err)
	if len(d.Buttons) != 1 || len(d.Buttons[0]) != 1 || d.Buttons[0][0].Press != "again:1" {
		t.Fatalf("the answer has the buttons %v", d.Buttons)
	}
	elsewhere := s.chat("ann", "elsewhere")
	for _, c := range []struct {
		conversation, turn int64
		want               []string
	}{
		{elsewhere.ID, turn.ID, nil}, {s.home.ID, turn.ID + 1, nil}, {s.home.ID, turn.ID, []string{"one", "two"}},
		{s.home.ID, turn.ID, nil},
	} {
		queued, err := s.db.Inbox().RequeueParkedTexts(t.Context(), c.conversation, c.turn)
		s.must(err)
		var texts []string
		for _, in := range queued {
			texts = append(texts, in.Text)
		}
		s.same("queued", texts, c.want)
	}
	next, found, err := s.db.Inbox().NextInbound(t.Context(), s.home.ID)
	s.must(err)
	if !found || next.Text != "one" || next.Quote != "before" || next.Parts != `[{"text":"a file"}]` {
		t.Errorf("next is %+v", next)
	}
	s.same("parked", s.query("SELECT count(*) FROM inbox WHERE state = 'parked'"), "2")
}

// TestRequeueParked_AnsweredTurn_QueuesNothing covers a forged press.
func TestRequeueParked_AnsweredTurn_QueuesNothing(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("one")
	if d := s.finish(turn, "done"); len(d.Buttons) > 0 {
		t.Errorf("the answer has the buttons %v", d.Buttons)
	}
	queued, err := s.db.Inbox().RequeueParkedTexts(t.Context(), s.home.ID, turn.ID)
	s.must(err)
	s.same("queued", len(queued), 0)
}
