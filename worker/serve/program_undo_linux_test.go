package serve_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
)

// homeFiles are the files of a home with everything that people have.
func homeFiles() map[string]string {
	files := map[string]string{"diary.md": "years\n", "docs/a.md": "one\n", "docs/deep/b.md": "two\n",
		".hidden/c":   "three\n",
		"notes/empty": "", "new\nline": "four\n"}
	for i := range 30 {
		files[fmt.Sprintf("many/%02d.txt", i)] = fmt.Sprintf("number %d\n", i)
	}
	return files
}

// TestUndo_Program_BringsAllBack: one undo restores everything in the home after a program. Its
// redo restores the program's changes.
func TestUndo_Program_BringsAllBack(t *testing.T) {
	for name, command := range map[string]string{
		"deletes all":         "rm -rf ./*",
		"deletes hidden too":  "rm -rf ./* .hidden",
		"edits each":          "sed -i s/number/figure/ many/*.txt",
		"cleans as git does":  "git init -q . && git add diary.md && git clean -qfdx && rm -rf .git",
		"moves a tree":        "mv docs archive && mv many/0* .",
		"changes modes":       "chmod 600 diary.md && chmod 700 docs",
		"truncates":           ": > diary.md",
		"a folder for a file": "rm diary.md && mkdir diary.md && echo x > diary.md/x",
		"a file for a folder": "rm -rf docs && echo x > docs",
		"a link for a file":   "ln -sf docs/a.md diary.md",
		"makes files":         "mkdir -p made/deep && touch made/deep/x && mkdir made/empty && ln -s nowhere made/link",
		"keeps the times":     "touch -r diary.md s && printf YEARS > diary.md && touch -r s diary.md && rm s",
		"fails in the middle": "rm -rf docs; false",
		"leaves a process":    "(sleep 1000; rm -rf many) & rm -rf docs",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("git"); err != nil && strings.Contains(command, "git") {
				t.Skip(err)
			}
			k := newKeptHome(t, homeFiles(), true)
			before := k.content()
			results := k.turn(bash(command))
			changes, after := undos(results...), k.content()
			if len(changes) != 1 || changes[0].Span == nil {
				t.Fatalf("the program has the changes %+v: %s", results[0].Changes, results[0].Text)
			}
			undone := k.undo(protocol.UndoActionUnchangedFiles, changes)
			if diff := cmp.Diff(before, k.content()); diff != "" || outcomes(undone) != "done" {
				t.Fatalf("after the undo: %+v\n%s", undone, diff)
			}
			if again := k.undo(protocol.UndoActionUnchangedFiles, changes); outcomes(again) != "already" {
				t.Errorf("a second undo: %+v", again)
			}
			redone := k.undo(protocol.UndoActionUnchangedFiles, inverse(changes, undone))
			if diff := cmp.Diff(after, k.content()); diff != "" || outcomes(redone) != "done" {
				t.Errorf("after the redo: %+v\n%s", redone, diff)
			}
		})
	}
}

// TestUndo_ToolsAndPrograms_InOneGo: tools and programs of one turn change files in turn, some
// files more than once.
func TestUndo_ToolsAndPrograms_InOneGo(t *testing.T) {
	k := newKeptHome(t, homeFiles(), true)
	before := k.content()
	results := k.turn(
		call{"write_file", map[string]any{"path": "diary.md", "content": "by the tool\n", "overwrite": true}},
		call{"write_file", map[string]any{"path": "made/new.md", "content": "new\n"}},
		bash("sed -i s/tool/program/ diary.md && rm -rf docs && echo more >> made/new.md"),
		call{"edit_file", map[string]any{"path": "diary.md", "old_text": "program", "new_text": "editor"}},
		call{"move_file", map[string]any{"from": "many", "to": "moved"}},
		call{"delete_file", map[string]any{"path": "made/new.md"}},
		bash("mv moved/00.txt docs; rm notes/empty"),
		call{"append_file", map[string]any{"path": "docs", "content": "end"}},
	)
	for i, r := range results {
		if r.Failed {
			t.Fatalf("call %d: %s", i, r.Text)
		}
	}
	changes, after := undos(results...), k.content()
	if len(changes) != 8 {
		t.Fatalf("%d changes: %+v", len(changes), changes)
	}
	for _, u := range changes {
		if u.Span == nil && !u.Kept {
			t.Errorf("the bytes from before are not in the history: %+v", u)
		}
	}
	undone := k.undo(protocol.UndoActionUnchangedFiles, changes)
	now := k.content()
	delete(now, "made") // tools make folders, and an undo leaves them
	if diff := cmp.Diff(before, now); diff != "" || strings.Trim(outcomes(undone), "done ") != "" {
		t.Fatalf("after the undo: %s\n%s", outcomes(undone), diff)
	}
	redone := k.undo(protocol.UndoActionUnchangedFiles, inverse(changes, undone))
	if diff := cmp.Diff(after, k.content()); diff != "" {
		t.Fatalf("after the redo: %s\n%s", outcomes(redone), diff)
	}
	k.undo(protocol.UndoActionForce, changes)
	now = k.content()
	delete(now, "made")
	if diff := cmp.Diff(before, now); diff != "" {
		t.Fatalf("after a forced undo of the redo:\n%s", diff)
	}
}

// TestUndo_ChangedSince_WaitsForForce: a path that was changed after the program is left alone,
// until the undo is forced.
func TestUndo_ChangedSince_WaitsForForce(t *testing.T) {
	k := newKeptHome(t, homeFiles(), true)
	before := k.content()
	changes := undos(k.turn(bash("rm -rf docs && echo gone > diary.md"))...)
	k.write("diary.md", "mine\n")
	undone := k.undo(protocol.UndoActionUnchangedFiles, changes)
	span := undone.Changes[0].Span
	if span.Changed.Count != 1 || !cmp.Equal(span.Changed.Named, []string{"diary.md"}) || span.Restored.Count != 4 {
		t.Errorf("got %+v", span)
	}
	before["diary.md"] = strings.Replace(before["diary.md"], "years", "mine", 1)
	if diff := cmp.Diff(before, k.content()); diff != "" {
		t.Fatal(diff)
	}
	k.undo(protocol.UndoActionForce, changes)
	before["diary.md"] = strings.Replace(before["diary.md"], "mine", "years", 1)
	if diff := cmp.Diff(before, k.content()); diff != "" {
		t.Fatal(diff)
	}
}

// TestUndo_ProgramsAtOnce_AreShared: a change that was made while two programs ran may be of either
// program. No undo puts it back, but a restore by name does.
func TestUndo_ProgramsAtOnce_AreShared(t *testing.T) {
	k := newKeptHome(t, homeFiles(), true)
	before := k.content()
	begun, ended := newPipe(t), newPipe(t)
	first, firstID := k.prepareTurn(bash("rm -rf docs; echo > " + begun + "; cat " + ended))
	done := make(chan error, 1)
	go func() {
		_, err := k.s.turn(context.Background(), firstID)
		done <- err
	}()
	if _, err := os.ReadFile(begun); err != nil { // waits until the first program runs
		t.Fatal(err)
	}
	results := k.turn(bash("rm diary.md; echo > " + ended))
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	result, _ := first.CallResult("call0")
	changes := undos(append(results, result)...)
	if len(changes) != 2 || changes[0].Span == nil || !changes[0].Span.Shared || changes[1].Span == nil ||
		!changes[1].Span.Shared {
		t.Fatalf("got %+v", changes)
	}
	undone := k.undo(protocol.UndoActionUnchangedFiles, changes)
	if undone.Changes[0].Span.Shared.Count+undone.Changes[1].Span.Shared.Count < 5 || cmp.Equal(before, k.content()) {
		t.Errorf("got %+v", undone)
	}
	undone = k.undo(protocol.UndoActionForce, changes)
	if undone.Changes[0].Span.Shared.Count+undone.Changes[1].Span.Shared.Count < 5 || cmp.Equal(before, k.content()) {
		t.Errorf("got %+v", undone)
	}
	for _, name := range []string{"docs", "diary.md"} {
		k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryRestore, Path: name,
			Point: min(changes[0].Span.From, changes[1].Span.From)})
	}
	if diff := cmp.Diff(before, k.content()); diff != "" {
		t.Fatal(diff)
	}
}

// TestProgram_NotKeptBefore_IsNamed: if a program changes files that are left out by name, the
// result, the ledger and the undo name these files.
func TestProgram_NotKeptBefore_IsNamed(t *testing.T) {
	k := newKeptHome(t, map[string]string{"a": "x", "big.iso": "much", "other.iso": "more"}, true)
	results := k.turn(bash("echo hello"), bash("rm a big.iso"))
	const named = "not kept before: 1 file: big.iso"
	if strings.Contains(results[0].Text, "not kept") || !strings.Contains(results[1].Text, "\n"+named+"\n") ||
		!strings.HasSuffix(results[1].Changes[0].Detail, "; "+named) {
		t.Errorf("got %q, %q and %+v", results[0].Text, results[1].Text, results[1].Changes)
	}
	undone := k.undo(protocol.UndoActionUnchangedFiles, undos(results...)).Changes[0]
	if undone.Span.NotKept.Count != 1 || undone.Span.Restored.Count != 1 || undone.Outcome != protocol.UndoOutcomeDone {
		t.Errorf("got %+v", undone.Span)
	}
}

// TestProgram_StoppedTurn_CanBeUndone: the turn is stopped while a program deletes files.
func TestProgram_StoppedTurn_CanBeUndone(t *testing.T) {
	k := newKeptHome(t, homeFiles(), true)
	before := k.content()
	begun := newPipe(t)
	h, id := k.prepareTurn(bash("rm -rf docs; echo > " + begun + "; sleep 1000"))
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		_, _ = os.ReadFile(begun) // waits until the program runs
		stop()
	}()
	if end, err := k.s.turn(ctx, id); err != nil || end.Why != protocol.TurnEndStopped {
		t.Fatalf("got %+v, %v", end, err)
	}
	result, done := h.CallResult("call0")
	changes := undos(result)
	if !done || len(changes) != 1 || !result.Failed || !strings.HasPrefix(result.Changes[0].Detail, "stopped") {
		t.Fatalf("got %+v", result)
	}
	k.undo(protocol.UndoActionUnchangedFiles, changes)
	if diff := cmp.Diff(before, k.content()); diff != "" {
		t.Fatal(diff)
	}
}

// TestProgram_Terminal_EachCallHasSpan: changes by a terminal's program between two calls are in
// the span of the second call. A tool's change in between is not.
func TestProgram_Terminal_EachCallHasSpan(t *testing.T) {
	k := newKeptHome(t, homeFiles(), true)
	go1, done1 := newPipe(t), newPipe(t)
	terminal := func(arguments ...any) call {
		c := call{"terminal", map[string]any{}}
		for i := 0; i < len(arguments); i += 2 {
			c.arguments[arguments[i].(string)] = arguments[i+1]
		}
		return c
	}
	before := k.content()
	opened := k.turn(terminal("action", "open", "command",
		"rm -rf docs; echo ready; cat "+go1+"; rm diary.md; echo > "+done1+"; sleep 1000",
		"wait_for", "ready"))
	if err := os.WriteFile(go1, []byte("go"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(done1); err != nil { // waits until the program has deleted the diary
		t.Fatal(err)
	}
	wrote := k.turn(call{"write_file", map[string]any{"path": "tool.md", "content": "by the tool\n"}})
	closed := k.turn(terminal("action", "close"))
	if changes := undos(closed...); len(changes) != 1 || changes[0].Span == nil || closed[0].Changes[0].Kind != "run" {
		t.Fatalf("got %+v", closed[0].Changes)
	}
	k.undo(protocol.UndoActionUnchangedFiles, undos(closed...))
	if now := k.content(); now["diary.md"] == "" || now["docs/a.md"] != "" || now["tool.md"] == "" {
		t.Errorf("after the undo of the second call: %q", now)
	}
	k.undo(protocol.UndoActionUnchangedFiles, undos(wrote...))
	k.undo(protocol.UndoActionUnchangedFiles, undos(opened...))
	if diff := cmp.Diff(before, k.content()); diff != "" {
		t.Error(diff)
	}
	if changes := undos(k.turn(bash("rm diary.md"))...); len(changes) != 1 || changes[0].Span.Shared {
		t.Errorf("after the terminal, a program's changes are %+v", changes)
	}
}

// TestProgram_NoHistory_AsBefore: without a file history, no span and no kept bytes are reported.
func TestProgram_NoHistory_AsBefore(t *testing.T) {
	k := newKeptHome(t, homeFiles(), false)
	results := k.turn(bash("rm diary.md"), call{"write_file", map[string]any{"path": "docs/a.md", "content": "x",
		"overwrite": true}})
	want := []protocol.Change{{Kind: "program", Target: "diary.md", Detail: "deleted",
		Undo: &protocol.Undo{Path: "diary.md", Obstacle: protocol.ObstacleProgramChange}}}
	if diff := cmp.Diff(want, results[0].Changes[1:]); diff != "" || results[0].Changes[0].Undo != nil ||
		strings.Contains(results[0].Text, "kept") {
		t.Errorf("got %q and %+v\n%s", results[0].Text, results[0].Changes, diff)
	}
	if u := results[1].Changes[0].Undo; u == nil || u.Kept || !u.Before.IsHash() {
		t.Errorf("got %+v", u)
	}
	undone := k.undo(protocol.UndoActionUnchangedFiles, []protocol.Undo{{Path: ".",
		Span: &protocol.HistorySpan{From: 1, To: 2}}})
	if undone.Changes[0].Outcome != protocol.UndoOutcomeFailed || undone.Changes[0].Why == "" {
		t.Errorf("the undo of a span: %+v", undone)
	}
}
