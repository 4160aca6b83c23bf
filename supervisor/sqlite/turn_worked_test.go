package sqlite_test

import (
	"testing"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// The list has the tools whose calls succeeded in the turn and its child turns. It also covers a
// given number of earlier messages.
func TestListSuccessfulTools_FailedCall_IsLeftOut(t *testing.T) {
	s := newStory(t)
	worked := func(turn supervisor.Turn, messages int, want ...string) {
		t.Helper()
		tools, err := s.db.Turns().ListSuccessfulTools(t.Context(), turn.ID, messages)
		s.must(err)
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

	second := s.startTurn("again")
	worked(second, 0)
	worked(second, 1)
	worked(second, 10, "read_file")
	child, err := s.db.Turns().StartChild(t.Context(), sqlite.ChildTurn{Parent: second.ID, Kind: supervisor.TurnChat, Text: "read it",
		Conversation: supervisor.Conversation{Channel: "job", Chat: "below"}})
	s.must(err)
	_, err = s.db.Turns().CommitStep(t.Context(), step(child, "", "c3"))
	s.must(err)
	keep(child, "c3", false)
	worked(second, 0, "read_file")
}
