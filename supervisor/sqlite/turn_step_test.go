package sqlite_test

import (
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

func TestCommitStep_KnownPrice_StoresCost(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	st := step(turn, "hello")
	st.Usage = protocol.Usage{Input: 7, Output: 5, CacheRead: 3, CacheWrite: 2}
	id, err := s.db.Turns().CommitStep(t.Context(), st)
	s.must(err)
	st = step(turn, "hello again")
	cost := int64(1234)
	st.Spec, st.Purpose, st.Cost, st.Request = "offline/script", "title", &cost, "req_1"
	_, err = s.db.Turns().CommitStep(t.Context(), st)
	s.must(err)
	s.same("figures", s.query(`SELECT format('%d %d %d %d %s', input, output, cache_read, cache_write, model) FROM usage
		WHERE message = ?`, id), "7 5 3 2 offline")
	s.same("whose", s.query(`SELECT format('%s %d %d %s', user, conversation = ?, turn = ?, coalesce(class, 'succeeded'))
		FROM usage ORDER BY id`, s.home.ID, turn.ID), "alice 1 1 succeeded alice 1 1 succeeded")
	s.same("what for", s.query(`SELECT format('[%s] %s %s [%s]', spec, purpose, coalesce(cost, 'unpriced'), request)
		FROM usage ORDER BY id`), "[] chat unpriced [] [offline/script] title 1234 [req_1]")
}

func TestCommitStep_InvalidStep_Fails(t *testing.T) {
	s := newStory(t)
	over := s.startTurnCalling("used")
	s.finish(over, "")
	turn := s.startTurn("go")
	forged := step(turn, "I am you")
	forged.Message.Role = protocol.RoleUser
	for _, c := range []struct {
		name  string
		step  sqlite.Step
		code  supervisor.ErrorCode
		words string
	}{
		{"ended turn", step(over, "more"), supervisor.CodeInvalid, "has ended"},
		{"unknown turn", step(supervisor.Turn{ID: 99}, "more"), supervisor.CodeNotFound, "no turn 99"},
		{"wrong role", forged, supervisor.CodeInvalid, "role \"user\""},
		{"call without id", step(turn, "", ""), supervisor.CodeInvalid, "has no ID"},
		{"call id of an earlier turn", step(turn, "", "used"), supervisor.CodeInvalid, "was used before"},
		{"same call id twice", step(turn, "", "twin", "twin"), supervisor.CodeInvalid, "was used before"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.db.Turns().CommitStep(t.Context(), c.step)
			s.checkRefused(err, c.code, c.words)
			s.same("messages of the turn", s.query("SELECT count(*) FROM message WHERE turn = ?", turn.ID), "1")
			s.same("its usage", s.query("SELECT count(*) FROM usage WHERE turn = ?", turn.ID), "0")
			s.same("its calls", s.query("SELECT count(*) FROM tool_call WHERE turn = ?", turn.ID), "0")
		})
	}
}

func TestCommitStep_OpenCalls_Fails(t *testing.T) {
	s := newStory(t)
	turn := s.startTurnCalling("c1", "c2")
	_, err := s.db.Turns().CommitResult(t.Context(), turn.ID, result("c1", "one"))
	s.must(err)
	_, err = s.db.Turns().CommitStep(t.Context(), step(turn, "next"))
	s.checkRefused(err, supervisor.CodeInvalid, "call c2 of turn")
	_, err = s.db.Turns().CommitResult(t.Context(), turn.ID, result("c2", "two"))
	s.must(err)
	_, err = s.db.Turns().CommitStep(t.Context(), step(turn, "next"))
	s.must(err)
}

func TestCommitCallStart_Twice_Fails(t *testing.T) {
	s := newStory(t)
	turn := s.startTurnCalling("c1", "c2")
	s.must(s.db.Turns().CommitCallStart(t.Context(), turn.ID, "c1"))
	s.checkRefused(s.db.Turns().CommitCallStart(t.Context(), turn.ID, "c1"), supervisor.CodeInvalid, "has begun before")
	s.checkRefused(s.db.Turns().CommitCallStart(t.Context(), turn.ID, "c9"), supervisor.CodeNotFound, "no call c9")
	_, err := s.db.Turns().CommitResult(t.Context(), turn.ID, result("c2", "done"))
	s.must(err)
	s.checkRefused(s.db.Turns().CommitCallStart(t.Context(), turn.ID, "c2"), supervisor.CodeInvalid, "has a result")
	s.finish(turn, "")
	s.checkRefused(s.db.Turns().CommitCallStart(t.Context(), turn.ID, "c1"), supervisor.CodeInvalid, "has ended")
}

func TestCommitResult_Twice_StoresOnce(t *testing.T) {
	s := newStory(t)
	turn := s.startTurnCalling("c1")
	r := result("c1", "written")
	r.Changes = []protocol.Change{
		{Kind: "write", Target: "notes/a.md", Detail: "12 bytes"}, {Kind: "delete", Target: "b"}}
	r.Rest = &protocol.BlobRef{SHA256: "ab", Size: 3}
	id, err := s.db.Turns().CommitResult(t.Context(), turn.ID, r)
	s.must(err)
	again, err := s.db.Turns().CommitResult(t.Context(), turn.ID, r)
	s.must(err)
	s.same("the same result again", again, id)

	said := s.transcript(s.home)
	s.same("message", said[len(said)-1], protocol.Message{ID: id, Role: protocol.RoleTool,
		Parts: []protocol.ContentPart{{Result: &r}}})
	s.same("ledger", s.query("SELECT user || ':' || call || ':' || kind || ':' || target FROM effect ORDER BY id"),
		"alice:c1:write:notes/a.md alice:c1:delete:b")
}

func TestCommitResult_InvalidResult_Fails(t *testing.T) {
	s := newStory(t)
	over := s.startTurnCalling("old")
	s.finish(over, "")
	turn := s.startTurnCalling("c1", "c2")
	_, err := s.db.Turns().CommitResult(t.Context(), turn.ID, result("c1", "one"))
	s.must(err)
	renamed := result("c2", "two")
	renamed.Name = "write_file"
	unkind := result("c2", "two")
	unkind.Changes = []protocol.Change{{Kind: "write", Target: "a"}, {Target: "b"}}
	for _, c := range []struct {
		name   string
		turn   int64
		result protocol.ToolResult
		code   supervisor.ErrorCode
		words  string
	}{
		{"second result", turn.ID, result("c1", "uno"), supervisor.CodeInvalid, "has another result"},
		{"unknown call", turn.ID, result("c9", "x"), supervisor.CodeNotFound, "no call c9"},
		{"call of another turn", turn.ID, result("old", "x"), supervisor.CodeNotFound, "no call old"},
		{"another tool", turn.ID, renamed, supervisor.CodeInvalid, "is of read_file, not of write_file"},
		{"ended turn", over.ID, result("old", "x"), supervisor.CodeInvalid, "has ended"},
		{"change without kind", turn.ID, unkind, supervisor.CodeInvalid, "has no kind"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := s.query("SELECT max(id) FROM message")
			_, err := s.db.Turns().CommitResult(t.Context(), c.turn, c.result)
			s.checkRefused(err, c.code, c.words)
			s.same("newest message", s.query("SELECT max(id) FROM message"), before)
			s.same("ledger", s.query("SELECT count(*) FROM effect"), "0")
		})
	}
}
