package sqlite_test

import (
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

func TestFinishTurn_Answer_IsInOutbox(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	_, err := s.db.Turns().CommitStep(t.Context(), step(turn, "hello"))
	s.must(err)
	d := s.finish(turn, "hello")
	s.same("delivery", d, supervisor.Delivery{ID: d.ID, Conversation: s.home, Inbound: turn.Inbound, Key: "key-1",
		Turn: turn.ID, TurnEnd: protocol.TurnEndDone, Kind: supervisor.DeliveryAnswer, Text: "hello", CreatedAt: noon})
	s.same("state", s.state(turn.Inbound), "answered")
	s.same("why", s.query("SELECT why FROM turn WHERE id = ?", turn.ID), "done")

	_, err = s.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndStopped,
		State: supervisor.InboundAnswered, Text: "again"})
	s.checkRefused(err, supervisor.CodeInvalid, "has ended")
	s.same("deliveries", s.query("SELECT count(*) FROM outbox"), "1")
	s.startTurn("the next turn may start")
}

func TestFinishTurn_StoppedTurn_AnswersOpenCalls(t *testing.T) {
	s := newStory(t)
	turn := s.startTurnCalling("c1", "c2", "c3")
	_, err := s.db.Turns().CommitResult(t.Context(), turn.ID, result("c2", "two"))
	s.must(err)
	_, err = s.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndStopped,
		State: supervisor.InboundAnswered, Text: "Stopped.", Partial: "I was about to",
		Unanswered: "Stopped by the person."})
	s.must(err)

	said := s.transcript(s.home)[2:]
	for i := range said {
		said[i].ID = 0
	}
	unanswered := func(call string) protocol.Message {
		r := protocol.ToolResult{Call: call, Name: "read_file", Text: "Stopped by the person.", Failed: true}
		return protocol.Message{Role: protocol.RoleTool, Parts: []protocol.ContentPart{{Result: &r}}}
	}
	two := result("c2", "two")
	s.same("transcript", said, []protocol.Message{
		{Role: protocol.RoleTool, Parts: []protocol.ContentPart{{Result: &two}}},
		unanswered("c1"), unanswered("c3"),
		{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: "I was about to"}}},
	})
}

func TestFinishTurn_InvalidEnd_ChangesNothing(t *testing.T) {
	s := newStory(t)
	turn := s.startTurnCalling("c1")
	for _, c := range []struct {
		name  string
		end   sqlite.TurnEnding
		code  supervisor.ErrorCode
		words string
	}{
		{"without a reason", sqlite.TurnEnding{Turn: turn.ID, State: supervisor.InboundAnswered},
			supervisor.CodeInvalid, "without a reason"},
		{"done before delivery", sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
			State: supervisor.InboundDone}, supervisor.CodeInvalid, "cannot become done"},
		{"without state", sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone},
			supervisor.CodeInvalid, "cannot become"},
		{"unknown turn", sqlite.TurnEnding{Turn: 99, Why: protocol.TurnEndDone, State: supervisor.InboundAnswered},
			supervisor.CodeNotFound, "no turn 99"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.end.Partial, c.end.Unanswered = "half", "none"
			_, err := s.db.Turns().Finish(t.Context(), c.end)
			s.checkRefused(err, c.code, c.words)
			s.same("state", s.state(turn.Inbound), "running")
			s.same("messages", len(s.transcript(s.home)), 2)
			s.same("deliveries", s.query("SELECT count(*) FROM outbox"), "0")
		})
	}
}
