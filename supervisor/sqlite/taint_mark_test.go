package sqlite_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// runTool runs a call of a turn that has a result.
func (s *story) runTool(turn supervisor.Turn, name, arguments string, r protocol.ToolResult) {
	s.Helper()
	s.keys++
	call := protocol.ToolCall{ID: fmt.Sprint("tool", s.keys), Name: name, Arguments: json.RawMessage(arguments)}
	_, err := s.db.Turns().CommitStep(s.Context(), sqlite.Step{Turn: turn.ID,
		Message: protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Call: &call}}}})
	s.must(err)
	r.Call, r.Name = call.ID, name
	_, err = s.db.Turns().CommitResult(s.Context(), turn.ID, r)
	s.must(err)
}

// startTurnIn starts a turn in a chat of alice.
func (s *story) startTurnIn(chat string) supervisor.Turn {
	s.Helper()
	turn, _, err := s.db.Turns().Start(s.Context(), s.put(s.chat("alice", chat), supervisor.KindText, "please").ID, nil)
	s.must(err)
	return turn
}

const foreignPage = "notes/page.md"

// savePage runs a turn in another chat that writes words of others to foreignPage.
func (s *story) savePage() {
	s.Helper()
	turn := s.startTurnIn("9")
	s.runTool(turn, "web_search", `{}`, protocol.ToolResult{Text: "evil", Origins: []string{"web:evil.org"}})
	s.runTool(turn, "write_file", `{"path":"notes/page.md"}`,
		changed("write", protocol.Undo{Path: foreignPage, After: one}))
	s.finish(turn, "saved")
}

func changed(kind string, u protocol.Undo) protocol.ToolResult {
	return protocol.ToolResult{Text: "done", Changes: []protocol.Change{{Kind: kind, Target: u.Path, Undo: &u}}}
}

// checkTaints checks whether a turn that reads a file is tainted.
func (s *story) checkTaints(name string, want bool) {
	s.Helper()
	s.keys++
	turn := s.startTurnIn(fmt.Sprint("read", s.keys))
	s.runTool(turn, "read_file", fmt.Sprintf(`{"path":%q}`, name), protocol.ToolResult{Text: "words"})
	origins, err := s.db.Taints().Origins(s.Context(), turn.ID)
	s.must(err)
	s.same(fmt.Sprint("reading ", name, " taints: ", origins), len(origins) > 0, want)
	s.finish(turn, "read")
}

func TestMark_DeletedFile_FollowsToTrash(t *testing.T) {
	const trash = ".trash/2026/notes/page.md"
	s := newStory(t)
	s.savePage()
	turn := s.startTurn("tidy up")
	r := changed("delete", protocol.Undo{Path: foreignPage, Before: one, Kept: true})
	r.Changes[0].Detail = trash
	s.runTool(turn, "delete_file", `{"path":"notes/page.md"}`, r)
	s.finish(turn, "done")
	s.checkTaints(foreignPage, false)
	s.checkTaints(trash, true)

	turn = s.startTurn("bring it back")
	s.runTool(turn, "move_file", `{"from":"x","to":"y"}`,
		changed("move", protocol.Undo{Path: trash, Before: one, To: "back.md"}))
	s.finish(turn, "done")
	s.checkTaints("back.md", true)
}

func TestMark_MovedByBytes_IsFound(t *testing.T) {
	s := newStory(t)
	s.savePage()
	turn := s.startTurn("move the copy")
	s.runTool(turn, "list_files", `{}`, changed("move", protocol.Undo{Path: "copy.md", Before: one, To: "there.md"}))
	s.finish(turn, "done")
	s.checkTaints("there.md", true)
}

// replacePage runs a turn that replaces foreignPage with the user's own words.
func (s *story) replacePage() supervisor.UndoneChanges {
	s.Helper()
	turn := s.startTurn("write it anew")
	u := protocol.Undo{Path: foreignPage, Before: one, After: two, Kept: true}
	s.runTool(turn, "write_file", `{"path":"notes/page.md"}`, changed("write", u))
	s.finish(turn, "done")
	s.checkTaints(foreignPage, false)
	return supervisor.UndoneChanges{User: "alice", Turn: turn.ID, Operation: 7,
		Effects: []int64{s.changes(turn.ID, 0)[0].Effect}, Changes: []protocol.Undo{u.Inverse()}}
}

func TestMark_UndoOfOverwrite_ComesBack(t *testing.T) {
	s := newStory(t)
	s.savePage()
	s.must(s.db.Undos().RecordUndo(t.Context(), s.replacePage()))
	s.checkTaints(foreignPage, true)
}

func TestMark_Restore_ComesBack(t *testing.T) {
	s := newStory(t)
	s.savePage()
	s.replacePage()
	s.must(s.db.Effects().Put(t.Context(), supervisor.Effect{User: "alice", Kind: supervisor.EffectFilesRestored,
		Target: "notes"}))
	s.checkTaints(foreignPage, true)
}

func TestReadOutput_CutSearch_Taints(t *testing.T) {
	s := newStory(t)
	s.savePage()
	turn := s.startTurn("find the invoice")
	s.runTool(turn, "search_files", `{"query":"invoice"}`, protocol.ToolResult{Text: "own.md: invoice",
		Rest: &protocol.BlobRef{SHA256: string(one), Size: 99}})
	s.runTool(turn, "read_output", fmt.Sprintf(`{"output":%q}`, one), protocol.ToolResult{Text: "words"})
	origins, err := s.db.Taints().Origins(t.Context(), turn.ID)
	s.must(err)
	s.same("origins", origins, []string{"tool:read_output"})
}

func TestMarks_FloodOfFiles_MergesTheirFolder(t *testing.T) {
	s := newStory(t)
	s.savePage()
	s.now = s.now.Add(time.Minute)
	turn := s.startTurnIn("flood")
	s.runTool(turn, "web_search", `{}`, protocol.ToolResult{Text: "evil", World: true})
	sqlitetest.ExecStatements(t, s.db, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
		INSERT INTO marked_file (user, path, origins, marked_at) SELECT 'alice', 't/' || (i / 2) || '/' || i, '["web:b"]', 1e15 FROM n`)
	s.runTool(turn, "run_command", `{"command":"make"}`, protocol.ToolResult{Text: "done", Changes: []protocol.Change{
		{Kind: "program", Target: "t/a/b", Undo: &protocol.Undo{Path: "t/a/b", After: two}},
		{Kind: "program", Target: "t/c/d", Undo: &protocol.Undo{Path: "t/c/d", After: two}}}})
	s.finish(turn, "done")
	s.same("marks", s.query(`SELECT count(*) <= 2000 FROM marked_file`), "1")
	for _, name := range []string{foreignPage, "t/0/1", "t/1/2", "t/999/1999", "t/c/d"} {
		s.checkTaints(name, true)
	}
	s.checkTaints("t/own", false)
}
