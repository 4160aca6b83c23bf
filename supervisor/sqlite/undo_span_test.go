package sqlite_test

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// ranWithSpan is the change of a program whose changes are a span of the file history.
func ranWithSpan(target string, from, to int64) protocol.Change {
	return protocol.Change{Kind: "run", Target: target, Detail: "exit 0",
		Undo: &protocol.Undo{Path: ".", Span: &protocol.HistorySpan{From: from, To: to, Nonce: "9f3a"}}}
}

// byProgram is a program's change of one file, as the ledger lists it.
func byProgram(path string) protocol.Change {
	return protocol.Change{Kind: "program", Target: path, Undo: &protocol.Undo{Path: path,
		Obstacle: protocol.ObstacleProgramChange}}
}

// running runs a turn with one call that has changes.
func (s *story) running(call string, changes ...protocol.Change) supervisor.Turn {
	s.T.Helper()
	turn, r := s.startTurnCalling(call), result(call, "done")
	r.Changes = changes
	_, err := s.db.Turns().CommitResult(s.T.Context(), turn.ID, r)
	s.must(err)
	s.finish(turn, "done")
	return turn
}

func (s *story) lastTurn(kept bool) int64 {
	s.T.Helper()
	turn, _, err := s.db.Undos().FindLastTurn(s.T.Context(), s.home, time.Unix(0, 0), 0, kept)
	s.must(err)
	return turn
}

func (s *story) changes(turn, operation int64) []supervisor.FileChange {
	s.T.Helper()
	list, err := s.db.Undos().ListChanges(s.T.Context(), "alice", turn, operation)
	s.must(err)
	return list
}

// A span stands for all changes of its program. Files of programs without a span stay listed.
func TestListChanges_Span_ReplacesItsFiles(t *testing.T) {
	rm := ranWithSpan("rm -rf .", 4, 9)
	rm.Undo.Span.Shared = true
	edit := protocol.Change{Kind: "edit", Target: "n", Undo: &protocol.Undo{Path: "n", Before: one, After: two,
		Kept: true}}
	more := protocol.Change{Kind: "program", Target: "7 more files", Detail: "deleted"}
	ls := protocol.Change{Kind: "run", Target: "ls"}
	begun := protocol.Change{Kind: "begin", Target: "run_command"}
	for name, c := range map[string]struct {
		changes  []protocol.Change
		kept     bool
		paths    []string // of the listed changes
		programs []string // of the listed programs
	}{
		"a span":               {[]protocol.Change{rm}, true, []string{"."}, nil},
		"a span and its files": {[]protocol.Change{rm, byProgram("a"), byProgram("b"), more}, true, []string{"."}, nil},
		"a span, none kept":    {[]protocol.Change{rm, byProgram("a"), more}, false, []string{"."}, nil},
		"no span": {[]protocol.Change{ls, byProgram("a"), more}, true, []string{"a"}, []string{"ls",
			"7 more files"}},
		"no change":           {[]protocol.Change{ls}, true, nil, nil},
		"no change, not kept": {[]protocol.Change{ls}, false, nil, []string{"ls"}},
		"an edit and a span":  {[]protocol.Change{edit, rm}, true, []string{"n", "."}, nil},
		"an unknown end":      {[]protocol.Change{begun}, true, nil, []string{"run_command"}},
		"an edit alone":       {[]protocol.Change{edit}, true, []string{"n"}, nil},
		"nothing at all":      {nil, true, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			turn := s.running("c1", c.changes...)
			var paths, programs []string
			for _, change := range s.changes(turn.ID, 0) {
				paths = append(paths, change.Path)
				if change.Path == "." {
					s.same("span", *change.Span, protocol.HistorySpan{From: 4, To: 9, Shared: true, Nonce: "9f3a"})
					s.same("program", change.Target, "rm -rf .")
				} else if change.Path == "n" {
					s.same("kept", change.Kept, true)
				}
			}
			list, err := s.db.Undos().ListPrograms(t.Context(), "alice", turn.ID, c.kept)
			s.must(err)
			for _, e := range list {
				programs = append(programs, e.Target)
			}
			s.same("changes", paths, c.paths)
			s.same("programs", programs, c.programs)
		})
	}
}

// Programs of other calls without a span stand in the way as before.
func TestListChanges_OtherCall_KeepsItsFiles(t *testing.T) {
	s := newStory(t)
	turn := s.startTurnCalling("c1", "c2")
	for call, changes := range map[string][]protocol.Change{"c1": {ranWithSpan("make", 1, 2), byProgram("a")},
		"c2": {{Kind: "run", Target: "cc"}, byProgram("b")}} {
		r := result(call, "done")
		r.Changes = changes
		_, err := s.db.Turns().CommitResult(t.Context(), turn.ID, r)
		s.must(err)
	}
	var paths []string
	for _, c := range s.changes(turn.ID, 0) {
		paths = append(paths, c.Path)
	}
	if len(paths) != 2 || !(paths[0] == "." && paths[1] == "b" || paths[0] == "b" && paths[1] == ".") {
		t.Errorf("listed %q", paths)
	}
	programs, err := s.db.Undos().ListPrograms(t.Context(), "alice", turn.ID, true)
	s.must(err)
	if len(programs) != 1 || programs[0].Target != "cc" {
		t.Errorf("programs %+v", programs)
	}
}

// /undo stops at a program that changed something, until that is taken back. It passes over a
// program that changed nothing, if all changes are kept.
func TestFindLastTurn_Span_IsUndoable(t *testing.T) {
	s := newStory(t)
	older := s.running("c1", protocol.Change{Kind: "edit", Target: "n", Undo: &protocol.Undo{Path: "n", Before: one,
		After: two}})
	newer := s.running("c2", ranWithSpan("rm diary.md", 3, 4), byProgram("diary.md"))
	last := s.running("c3", protocol.Change{Kind: "run", Target: "ls"})
	s.same("not kept", s.lastTurn(false), last.ID)
	s.same("kept", s.lastTurn(true), newer.ID)
	s.must(s.db.Undos().RecordUndo(t.Context(), supervisor.UndoneChanges{User: "alice", Turn: newer.ID, Operation: 7,
		Spans: []supervisor.UndoneSpan{{Effect: s.changes(newer.ID, 0)[0].Effect,
			Inverse: &protocol.HistorySpan{From: 5, To: 6}}}}))
	s.same("undone", s.lastTurn(true), older.ID)
	s.same("undone, and not kept", s.lastTurn(false), last.ID)
}

// The undo of a span is a span too, so that it can be undone. The model is told about each.
func TestRecordUndo_Span_CanBeRedone(t *testing.T) {
	s := newStory(t)
	ctx, undos := t.Context(), s.db.Undos()
	turn := s.running("c1", ranWithSpan("rm -rf .", 3, 4))
	done := supervisor.UndoneChanges{User: "alice", Turn: turn.ID, Operation: 7, Spans: []supervisor.UndoneSpan{
		{Effect: s.changes(turn.ID, 0)[0].Effect, Inverse: &protocol.HistorySpan{From: 5, To: 6}}}}
	for range 2 { // the second round is a repeat after a crash
		s.must(undos.RecordUndo(ctx, done))
	}
	s.same("rows", s.query("SELECT count(*) FROM undo"), "2")
	s.same("in the ledger", s.query("SELECT kind || ' ' || target FROM effect ORDER BY id DESC LIMIT 1"),
		"program.undone rm -rf .")
	s.same("left", len(s.changes(turn.ID, 0)), 0)
	inverse := s.changes(turn.ID, 7)
	s.same("inverse", *inverse[0].Span, protocol.HistorySpan{From: 5, To: 6})
	next := s.startTurn("what now?")
	s.same("told", s.lastUserText(), "[The user has undone what your program changed: rm -rf ..]\nwhat now?")
	s.finish(next, "this")

	found, operation, err := undos.FindLastUndo(ctx, s.home, time.Unix(0, 0))
	s.must(err)
	s.same("the last undo", []int64{found, operation}, []int64{turn.ID, 7})
	s.must(undos.RecordUndo(ctx, supervisor.UndoneChanges{User: "alice", Turn: turn.ID, UndoOf: 7, Operation: 8,
		Spans: []supervisor.UndoneSpan{{Effect: inverse[0].Effect, Inverse: &protocol.HistorySpan{From: 7, To: 8}}}}))
	s.same("in force again", s.lastTurn(true), turn.ID)
	s.same("listed again", *s.changes(turn.ID, 0)[0].Span, protocol.HistorySpan{From: 3, To: 4, Nonce: "9f3a"})
	s.startTurn("so?")
	s.same("told of that", s.lastUserText(), "[The user has restored what your program changed: rm -rf ..]\nso?")
}

// The undo of a restore by a tool is told as the undo of a restore, and not of a program.
func TestRecordUndo_Restore_IsNoProgram(t *testing.T) {
	s := newStory(t)
	ctx, undos := t.Context(), s.db.Undos()
	turn := s.running("c1", protocol.Change{Kind: "restore", Target: "docs", Detail: "version 3",
		Undo: &protocol.Undo{Path: ".", Span: &protocol.HistorySpan{From: 3, To: 4, Nonce: "9f3a"}}})
	effect := s.changes(turn.ID, 0)[0].Effect
	for i, told := range []string{"[The user has undone your change to docs.]",
		"[The user has restored your change to docs.]"} {
		operation := int64(7 + i)
		done := supervisor.UndoneChanges{User: "alice", Turn: turn.ID, Operation: operation,
			Spans: []supervisor.UndoneSpan{{Effect: effect, Inverse: &protocol.HistorySpan{From: 5, To: 6}}}}
		if i == 1 {
			done.UndoOf = 7
		}
		s.must(undos.RecordUndo(ctx, done))
		s.same("in the ledger", s.query("SELECT kind || ' ' || target FROM effect ORDER BY id DESC LIMIT 1"),
			"restore.undone docs")
		if i == 0 {
			effect = s.changes(turn.ID, operation)[0].Effect
		}
		next := s.startTurn("what now?")
		s.same("told", s.lastUserText(), told+"\nwhat now?")
		s.finish(next, "this")
	}
}

// A span stays in force if files were left alone. The restored files can be changed back.
func TestRecordUndo_PartOfSpan_RestIsUndoable(t *testing.T) {
	s := newStory(t)
	undos := s.db.Undos()
	turn := s.running("c1", ranWithSpan("make", 3, 4))
	effect := s.changes(turn.ID, 0)[0].Effect
	part := supervisor.UndoneChanges{User: "alice", Turn: turn.ID, Operation: 7,
		Spans: []supervisor.UndoneSpan{{Effect: effect,
			Partly: true, Inverse: &protocol.HistorySpan{From: 5, To: 6}}}}
	for range 2 { // the second round is a repeat after a crash
		s.must(undos.RecordUndo(t.Context(), part))
	}
	s.same("rows", s.query("SELECT count(*) FROM undo"), "2")
	s.same("still in force", s.lastTurn(true), turn.ID)
	rest := part
	rest.Operation, rest.Spans = 8, []supervisor.UndoneSpan{{Effect: effect, Inverse: &protocol.HistorySpan{From: 7,
		To: 8}}}
	s.must(undos.RecordUndo(t.Context(), rest))
	s.same("undone", s.lastTurn(true), int64(0))
	nothing := part
	nothing.Operation, nothing.Spans = 9, []supervisor.UndoneSpan{{Effect: effect, Partly: true}}
	s.must(undos.RecordUndo(t.Context(), nothing))
	s.same("all rows", s.query("SELECT count(*) FROM undo"), "3")
	foreign := part
	foreign.Operation, foreign.Spans = 10, []supervisor.UndoneSpan{{Effect: effect + 100, Partly: true,
		Inverse: &protocol.HistorySpan{From: 9, To: 10}}}
	s.checkRefused(undos.RecordUndo(t.Context(), foreign), supervisor.CodeNotFound, "no effect")
}
