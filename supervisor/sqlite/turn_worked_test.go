package sqlite_test

import (
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// The list has the tools whose calls succeeded in the turn and its child turns. It also has the
// tools of as many earlier turns as the caller asks for.
func TestListSuccessfulTools_FailedCall_IsOmitted(t *testing.T) {
	s := newStory(t)
	worked := func(turn supervisor.Turn, turns int, want ...string) {
		t.Helper()
		calls, err := s.db.Turns().ListSuccessfulTools(t.Context(), turn.ID, turns)
		s.must(err)
		var tools []string
		for _, c := range calls {
			tools = append(tools, c.Tool)
			s.same("earlier", c.Earlier, turns > 0)
			s.same("has a row", c.Row != "", true)
		}
		s.same("worked", tools, want)
	}
	keep := func(turn supervisor.Turn, call string, failed bool) {
		t.Helper()
		r := result(call, "done")
		r.Failed = failed
		_, err := s.db.Turns().CommitResult(t.Context(), turn.ID, r)
		s.must(err)
	}
	first := s.startTurnCalling("c1", "c2")
	worked(first, 0)
	keep(first, "c1", true)
	worked(first, 0)
	keep(first, "c2", false)
	worked(first, 0, "read_file")
	s.finish(first, "read")

	s.finish(s.startTurn("hello"), "hello")
	second := s.startTurn("again")
	worked(second, 0)
	worked(second, 1)
	worked(second, 2, "read_file")
	worked(second, 10, "read_file")
	child, err := s.db.Turns().StartChild(t.Context(), sqlite.ChildTurn{Parent: second.ID, Kind: supervisor.TurnChat, Text: "read it",
		Conversation: supervisor.Conversation{Channel: "job", Chat: "below"}})
	s.must(err)
	_, err = s.db.Turns().CommitStep(t.Context(), step(child, "", "c3"))
	s.must(err)
	keep(child, "c3", false)
	worked(second, 0, "read_file")
}

// The row of an earlier call has its arguments, its result and its effects. A call whose file the
// channel refused has not worked.
func TestListSuccessfulTools_EarlierCall_IsListed(t *testing.T) {
	s := newStory(t)
	turn := s.startTurnCalling("c1")
	s.commitChanges(turn, "c1", protocol.Change{Kind: "write", Target: "notes.md", Detail: "created, 8 bytes"})
	s.finish(turn, "done")
	calls, err := s.db.Turns().ListSuccessfulTools(t.Context(), s.startTurn("and").ID, 10)
	s.must(err)
	s.same("calls", calls, []sqlite.SuccessfulCall{{Tool: "read_file", Earlier: true,
		Row: `{"path":"a<b>&c"} done notes.md created, 8 bytes`, Result: "done"}})

	sending := newSendingStory(t, "", "a")
	r := result("c1", "queued")
	_, err = sending.db.Turns().CommitResult(t.Context(), sending.turn.ID, r)
	sending.must(err)
	for _, c := range []struct {
		outcome supervisor.DeliveryResult
		worked  int
	}{{"", 1}, {supervisor.OutcomeFailed, 0}} {
		if c.outcome != "" {
			sending.close(sending.sent, c.outcome, "blocked")
		}
		calls, err := sending.db.Turns().ListSuccessfulTools(t.Context(), sending.turn.ID, 0)
		sending.must(err)
		sending.same("worked", len(calls), c.worked)
	}
}

// A program's pictures may be refused. The program has run all the same.
func TestSuccessfulTools_RefusedPicture_NotSent(t *testing.T) {
	s := newToolSendingStory(t, "run_python", "", "a")
	r := result("c1", "exit 0, 1 s")
	r.Name = "run_python"
	_, err := s.db.Turns().CommitResult(t.Context(), s.turn.ID, r)
	s.must(err)
	for _, outcome := range []supervisor.DeliveryResult{"", supervisor.OutcomeFailed} {
		if outcome != "" {
			s.close(s.sent, outcome, "blocked")
		}
		calls, err := s.db.Turns().ListSuccessfulTools(t.Context(), s.turn.ID, 0)
		s.must(err)
		if len(calls) != 1 || calls[0].Tool != "run_python" || calls[0].Sent != (outcome == "") {
			t.Errorf("after %q: %+v", outcome, calls)
		}
	}
}
