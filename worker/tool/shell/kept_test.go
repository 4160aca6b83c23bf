package shell

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/worker/filehistory"
)

// newKeptFixture is like newFixture, with a file history.
func newKeptFixture(t *testing.T) (*fixture, *filehistory.History) {
	t.Helper()
	var history *filehistory.History
	b := newFixture(t, func(o *Options) {
		history = openHistory(t, o.Home)
		o.History = history
	})
	return b, history
}

// span returns the span of a result's change about its program; nil means none.
func span(changes []protocol.Change) *protocol.HistorySpan {
	if len(changes) == 0 || changes[0].Kind != "run" || changes[0].Undo == nil {
		return nil
	}
	return changes[0].Undo.Span
}

// TestRun_FileHistory_NamesSameChanges: with a file history, the changes of each file are those of a walk
// without one. Each program that changed something has a span.
func TestRun_FileHistory_NamesSameChanges(t *testing.T) {
	for name, test := range map[string]struct {
		command string
		want    []string
	}{
		"nothing":           {"true", nil},
		"only a folder":     {"mkdir d2", nil},
		"a deletion":        {"rm a", []string{"a deleted"}},
		"a moved folder":    {"mv d e", []string{"d/b deleted", "e/b 1 byte"}},
		"the trash":         {"rm -rf .trash", nil},
		"a link":            {"ln -s a to", nil},
		"a file for a link": {"rm a; ln -s d a", []string{"a 1 byte"}},
		"same again":        {"cp -p a c; rm a; mv c a", []string{"a 1 byte"}},
		"half written":      {"echo > .mews-x.tmp", nil},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := newKeptFixture(t)
			for _, file := range []string{"a", "d/b", ".trash/1/c"} {
				if err := os.MkdirAll(filepath.Join(b.dir, filepath.Dir(file)), 0o755); err != nil {
					t.Fatal(err)
				}
				b.write(file, "x")
			}
			r := b.mustRun("run_command", "command", test.command)
			if diff := cmp.Diff(test.want, fileLines(r.Changes)); diff != "" {
				t.Errorf("changes (- wanted, + got):\n%s", diff)
			}
			unchanged := name == "nothing" || name == "half written"
			if (span(r.Changes) == nil) != unchanged {
				t.Errorf("got %+v", r.Changes[0])
			}
		})
	}
}

// TestRun_FileHistory_HasNoLimit: the history compares more files than a walk without it.
func TestRun_FileHistory_HasNoLimit(t *testing.T) {
	b := newFixture(t, func(o *Options) {
		o.limits.entries = 10
		o.History = openHistory(t, o.Home)
	})
	b.mustRun("run_command", "command", "for i in $(seq 30); do echo > $i; done")
	r := b.mustRun("run_command", "command", "rm 7")
	if diff := cmp.Diff([]string{"7 deleted"}, fileLines(r.Changes)); diff != "" {
		t.Error(diff)
	}
}

// TestTerminal_EndedUnwatched_IsNotShared: a terminal's program that ended between two calls does not make
// later programs share their changes. Its changes are in the next program's result.
func TestTerminal_EndedUnwatched_IsNotShared(t *testing.T) {
	b, _ := newKeptFixture(t)
	b.write("diary.md", "years")
	gate := filepath.Join(t.TempDir(), "gate")
	b.mustRun("run_command", "command", "mkfifo "+gate)
	b.mustRun("terminal", "action", "open", "command", "echo ready; cat "+gate+"; rm diary.md", "wait_for", "ready")
	opened := b.shell.terminals.known[1]
	if err := os.WriteFile(gate, nil, 0); err != nil {
		t.Fatal(err)
	}
	<-opened.done
	r := b.mustRun("run_command", "command", "echo x > new.md")
	var spans []*protocol.HistorySpan
	for _, c := range r.Changes {
		if c.Undo != nil && c.Undo.Span != nil {
			spans = append(spans, c.Undo.Span)
		}
	}
	if len(spans) != 2 || spans[0].Shared || spans[1].Shared || spans[0].From < spans[1].To {
		t.Errorf("got %+v", r.Changes)
	}
	if got := strings.Join(fileLines(r.Changes), ", "); got != "new.md 2 bytes, diary.md deleted" {
		t.Errorf("got %q", got)
	}
}

// TestCheckCommand_FileHistory_HasIt: nobody is told of the changes of a check's command, but earlier
// versions are kept.
func TestCheckCommand_FileHistory_HasIt(t *testing.T) {
	b, history := newKeptFixture(t)
	b.write("diary.md", "years")
	if _, err := b.shell.RunCheckCommand(t.Context(), "rm diary.md", io.Discard); err != nil {
		t.Fatal(err)
	}
	versions, _, err := history.Versions("diary.md", 0)
	if err != nil || len(versions) != 2 || versions[0].State != protocol.FileStateAbsent ||
		versions[0].By.Words != "rm diary.md" ||
		versions[0].By.Turn != 0 || versions[1].NotKept != "" {
		t.Errorf("got %+v, %v", versions, err)
	}
}

// TestNote_NotKept_IsNamed: the note names files that are not kept.
func TestNote_NotKept_IsNamed(t *testing.T) {
	for want, k := range map[string]keptChanges{
		"":                                    {},
		"not kept before: 1 file: a.iso":      {lost: protocol.PathCount{Count: 1, Named: []string{"a.iso"}}},
		`not kept before: 2 files: "a\nb", c`: {lost: protocol.PathCount{Count: 2, Named: []string{"a\nb", "c"}}},
		"not kept before: 5,760 files: a, b, c, ...": {lost: protocol.PathCount{Count: 5760, Named: []string{"a",
			"b", "c", "d"}}},
		"not kept before: 3 files":                    {lost: protocol.PathCount{Count: 3}},
		"not kept before: the home: it can't be read": {fault: "the home:\nit can't be read"},
	} {
		if got := k.note(3); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if run := k.complete(protocol.Change{Detail: "exit 0"}); run.Detail != strings.TrimSuffix("exit 0; "+want,
			"; ") {
			t.Errorf("the ledger says %q", run.Detail)
		}
	}
}

// TestKept_TooManyFiles_IsNamed: if the home holds more files than a tree, the result says so, and
// no file counts as deleted.
func TestKept_TooManyFiles_IsNamed(t *testing.T) {
	b, _ := newKeptFixture(t)
	b.write("diary.md", "years")
	e := b.shell.environment
	for _, cut := range []string{"before", "after"} {
		before := e.takeSnapshot(t.Context())
		if cut == "before" {
			before.cut = filehistory.ErrManyFiles
		}
		kept := e.keepBefore(t.Context(), before)
		b.write("new.md", cut)
		after := e.takeSnapshot(t.Context())
		if cut == "after" {
			after.cut, after.unread = filehistory.ErrManyFiles, []string{"."}
			delete(after.files, "diary.md")
		}
		if !after.maybeHas("diary.md") && cut == "after" {
			t.Error("the diary counts as deleted")
		}
		found := e.changesBetween(before, after)
		k := kept.end(t.Context(), after, programAuthor(1, "sh"))
		want := filehistory.ErrManyFiles.Error()
		if found.why != want || k.fault != want || k.undo == nil {
			t.Errorf("%s: got %q, %q, %+v", cut, found.why, k.fault, k.undo)
		}
	}
}
