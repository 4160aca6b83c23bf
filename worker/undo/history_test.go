package undo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/worker/filehistory"
)

// keptFolder is a folder whose file history keeps the bytes from before tools change files.
type keptFolder struct {
	*folder
	history *filehistory.History
	turn    int64
}

func newKeptFolder(t testing.TB) *keptFolder {
	f := newFolder(t, t.TempDir())
	dir, err := os.Open(t.TempDir())
	f.must(err)
	history, err := filehistory.Open(filehistory.Options{Folder: dir, Home: f.ws, Room: 1 << 30, Now: time.Now,
		Report: func(err error) { t.Error(err) }})
	f.must(err)
	t.Cleanup(func() { f.must(history.Close()) })
	f.undo = New(f.ws, history, func(err error) { t.Error(err) })
	return &keptFolder{folder: f, history: history}
}

// tool uses a tool, as serve does with a file history.
func (f *keptFolder) tool(name string, arguments map[string]any) []protocol.Undo {
	f.t.Helper()
	f.blobs.keep = f.history.Keep
	changed := f.ws.StartPathRecord()
	undos := f.call(name, arguments)
	f.turn++
	_, err := f.history.Record(f.t.Context(), changed.Stop(),
		protocol.HistoryAuthor{Kind: protocol.HistoryAuthorTool, Turn: f.turn, Words: name})
	f.must(err)
	for i := range undos {
		undos[i].Kept = true
	}
	return undos
}

// program runs a function as a program, and returns the undo of its changes.
func (f *keptFolder) program(run func()) []protocol.Undo {
	f.t.Helper()
	before, err := f.history.Walk(f.t.Context())
	f.must(err)
	p, err := f.history.BeginProgram(f.t.Context(), before)
	f.must(err)
	run()
	after, err := f.history.Walk(f.t.Context())
	f.must(err)
	f.turn++
	span, err := p.End(f.t.Context(), after, protocol.HistoryAuthor{Kind: protocol.HistoryAuthorProgram,
		Turn: f.turn, Words: "program"})
	f.must(err)
	return []protocol.Undo{{Path: ".", Span: &span}}
}

// work changes the same files by tools and programs, and returns the undos, newest first.
func (f *keptFolder) work() []protocol.Undo {
	remove := func(name string) { f.must(os.RemoveAll(filepath.Join(f.dir, name))) }
	var all []protocol.Undo
	all = append(all, f.tool("write_file", map[string]any{"path": "x", "content": "by the tool", "overwrite": true})...)
	all = append(all, f.program(func() { f.put("x", "by the program"); remove("d"); f.put("y", "new") })...)
	all = append(all, f.tool("write_file", map[string]any{"path": "x", "content": "again", "overwrite": true})...)
	all = append(all, f.tool("move_file", map[string]any{"from": "y", "to": "d"})...)
	all = append(all, f.program(func() { f.put("x", "last"); remove("d"); f.put("d/made", "made") })...)
	return newestFirst(all)
}

func (f *keptFolder) fill() {
	f.put("x", "before")
	f.put("d/a", "one")
	f.put("d/b/c", "two")
	f.put("other", "stays")
}

func TestSpanOutcome_NoSpan_IsNotDone(t *testing.T) {
	one := protocol.PathCount{Count: 1}
	for want, u := range map[protocol.UndoOutcome]protocol.UndoneSpan{
		protocol.UndoOutcomeFailed:        {Failed: one},
		protocol.UndoOutcomeChangedSince:  {Failed: one, Changed: one},
		protocol.UndoOutcomeExpired:       {Failed: one, NotKept: one},
		protocol.UndoOutcomeAlreadyUndone: {Restored: one},
		protocol.UndoOutcomeDone:          {Failed: one, Span: &protocol.HistorySpan{From: 1, To: 2}},
	} {
		if got := spanOutcome(u); got != want {
			t.Errorf("%+v: got %s, want %s", u, got, want)
		}
	}
}

// TestUndo_KilledBetweenParts_Continues kills an undo between two parts, and repeats it. Then the
// files and the outcomes are those of an undo in one go.
func TestUndo_KilledBetweenParts_Continues(t *testing.T) {
	for _, action := range []protocol.UndoAction{protocol.UndoActionUnchangedFiles, protocol.UndoActionForce} {
		for killed := range 5 {
			t.Run(fmt.Sprint(action, " after ", killed), func(t *testing.T) {
				f := newKeptFolder(t)
				f.fill()
				before := f.content()
				p := protocol.UndoParameters{Action: action, Changes: f.work()}
				f.must(p.Validate())
				const operation = 12
				first := f.undo.newRun(t.Context(), operation, p, f.blobs)
				for _, part := range first.parts()[:min(killed, 4)] {
					if part.span != nil {
						first.outcomes[part.from] = first.undoSpan(part)
					} else {
						first.undoFiles(part)
					}
				}
				r, err := f.undo.RunOperation(t.Context(), operation, p, f.blobs)
				f.must(err)
				f.must(r.Validate(p))
				if diff := cmp.Diff(before, f.content()); diff != "" {
					t.Errorf("%+v\n%s", r, diff)
				}
				for i, c := range r.Changes {
					done := c.Outcome == protocol.UndoOutcomeDone
					if action == protocol.UndoActionForce && c.Span == nil {
						done = done || c.Outcome == protocol.UndoOutcomeAlreadyUndone
					}
					if !done || c.Span != nil && c.Span.Span == nil {
						t.Errorf("change %d: %+v", i, c)
					}
				}
			})
		}
	}
}

// TestUndo_Repeated_ChangesNothing: the answer of a completed undo was lost. The repeated undo
// leaves alone what the user has done since.
func TestUndo_Repeated_ChangesNothing(t *testing.T) {
	f := newKeptFolder(t)
	f.fill()
	p := protocol.UndoParameters{Action: protocol.UndoActionUnchangedFiles, Changes: f.work()}
	_, err := f.undo.RunOperation(t.Context(), 12, p, f.blobs)
	f.must(err)
	f.put("x", "by the user")
	before := f.content()
	_, err = f.undo.RunOperation(t.Context(), 12, p, f.blobs)
	f.must(err)
	if diff := cmp.Diff(before, f.content()); diff != "" {
		t.Error(diff)
	}
}

// TestUndo_IDAgain_IsNoRepeat: a restored database may use the id of an undo again.
func TestUndo_IDAgain_IsNoRepeat(t *testing.T) {
	f := newKeptFolder(t)
	f.fill()
	before := f.content()
	for range 2 {
		p := protocol.UndoParameters{Action: protocol.UndoActionUnchangedFiles, Changes: f.work()}
		_, err := f.undo.RunOperation(t.Context(), 12, p, f.blobs)
		f.must(err)
		if diff := cmp.Diff(before, f.content()); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestUndo_KeptBytesGone_IsExpired: the history lacks the bytes. No file changes.
func TestUndo_KeptBytesGone_IsExpired(t *testing.T) {
	f := newKeptFolder(t)
	f.fill()
	changes := newestFirst(f.tool("write_file", map[string]any{"path": "x", "content": "new", "overwrite": true}))
	changes[0].Before = protocol.FileState(strings.Repeat("ab", 32))
	for _, action := range []protocol.UndoAction{protocol.UndoActionUnchangedFiles, protocol.UndoActionForce} {
		if got := f.run(action, changes); got[0].Outcome != protocol.UndoOutcomeExpired {
			t.Errorf("%s: %+v", action, got)
		}
	}
	f.undo = New(f.ws, nil, nil)
	if got := f.run(protocol.UndoActionUnchangedFiles, changes); got[0].Outcome != protocol.UndoOutcomeFailed ||
		got[0].Why == "" {
		t.Errorf("without a history: %+v", got)
	}
	if now := f.content()["x"]; now != "new" {
		t.Errorf("x is %q", now)
	}
}

// TestDiff_Spans_NameAndCompare: the diff compares the first files that a program changed. It
// counts the others. A file that a tool has changed too is shown once.
func TestDiff_Spans_NameAndCompare(t *testing.T) {
	f := newKeptFolder(t)
	for i := range 30 {
		f.put(fmt.Sprintf("many/%02d", i), "old\n")
	}
	f.put("x", "before\n")
	f.put("many/00", "binary\x00")
	all := f.tool("write_file", map[string]any{"path": "x", "content": "by the tool\n", "overwrite": true})
	all = append(all, f.program(func() {
		for i := range 30 {
			f.put(fmt.Sprintf("many/%02d", i), "new\n")
		}
		f.put("x", "now\n")
		f.must(os.MkdirAll(filepath.Join(f.dir, "a folder"), 0o755))
		f.must(os.Symlink("x", filepath.Join(f.dir, "a link")))
	})...)
	r, err := f.undo.RunOperation(t.Context(), 1, protocol.UndoParameters{Action: protocol.UndoActionDiff,
		Changes: newestFirst(all)}, f.blobs)
	f.must(err)
	part, err := f.blobs.ReadBlob(t.Context(), r.Diff.SHA256, 0, protocol.MaxBlobChunkBytes)
	f.must(err)
	text := string(part.Data)
	for _, want := range []string{"\n-before\n+now\n", "a program changed 33 paths\n",
		"a folder: nothing before, a folder then\n", "a link: nothing before, a link then\n",
		"many/00: 7 bytes before, 4 bytes now\n", "+++ now/many/01\n", "\n-old\n+new\n", "and 11 more paths\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	if strings.Count(text, "+++ now/x\n") != 1 || strings.Contains(text, "many/25") {
		t.Error(text)
	}
	gone := []protocol.Undo{{Path: ".", Span: &protocol.HistorySpan{From: 1000, To: 1001}}}
	if _, err := f.undo.RunOperation(t.Context(), 2, protocol.UndoParameters{Action: protocol.UndoActionDiff,
		Changes: gone}, f.blobs); err != nil {
		t.Errorf("of a span that is gone: %v", err)
	}
	if got := f.run(protocol.UndoActionUnchangedFiles, gone); got[0].Outcome != protocol.UndoOutcomeExpired {
		t.Errorf("the undo of a span that is gone: %+v", got)
	}
	restored, err := f.history.Restore(t.Context(), filehistory.RestoreRequest{Path: "x",
		Point: all[len(all)-1].Span.From},
		protocol.HistoryAuthor{Kind: protocol.HistoryAuthorRestore, Words: "restore 1"})
	f.must(err)
	r, err = f.undo.RunOperation(t.Context(), 3, protocol.UndoParameters{Action: protocol.UndoActionDiff,
		Changes: []protocol.Undo{{Path: ".", Span: &restored.Span}}}, f.blobs)
	f.must(err)
	part, err = f.blobs.ReadBlob(t.Context(), r.Diff.SHA256, 0, protocol.MaxBlobChunkBytes)
	if f.must(err); !strings.Contains(string(part.Data), "a restore changed 1 path\n") {
		t.Errorf("the diff of a restore: %s", part.Data)
	}
	other := *newestFirst(all)[0].Span
	other.Nonce = "7e57"
	gone[0].Span = &other
	if got := f.run(protocol.UndoActionUnchangedFiles, gone); got[0].Outcome != protocol.UndoOutcomeFailed ||
		got[0].Why != filehistory.ErrOtherHistory.Error() {
		t.Errorf("the undo of a span of another history: %+v", got)
	}
}
