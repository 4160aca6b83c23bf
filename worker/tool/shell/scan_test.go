package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/worker/filehistory"
	"mews/worker/workspace"
)

// untilLater waits until a new change gets a later time than the last change.
func untilLater(t testing.TB, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for !fileTime().After(workspace.StampOf(info).ChangedAt()) {
		runtime.Gosched()
	}
}

// stateOf returns the state of a file that a program has left.
func (b *fixture) stateOf(path string) protocol.FileState {
	b.t.Helper()
	info, err := os.Stat(filepath.Join(b.dir, path))
	if os.IsNotExist(err) {
		return protocol.FileStateAbsent
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return protocol.LargeFileState(info.Size(), info.ModTime())
}

// TestScan_Changes_AreNamed: a changed file is named even if its size is the same and its time was
// set back. Links are not followed, and unchanged files are not named.
func TestScan_Changes_AreNamed(t *testing.T) {
	b := newFixture(t, nil)
	outside := filepath.Join(t.TempDir(), "outside.txt")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.write("old.txt", "old")
	b.write("same.txt", "same")
	r := b.mustRun("run_command", "command", "printf new > old.txt; touch -d 2001-01-01 old.txt; mkdir d; printf x > d/x; ln -s "+outside+" link; echo y > link; rm same.txt")
	want := []protocol.Change{
		{Kind: "program", Target: "d/x", Detail: "1 byte",
			Undo: workspace.RecordProgramChange("d/x", b.stateOf("d/x"))},
		{Kind: "program", Target: "old.txt", Detail: "3 bytes", Undo: workspace.RecordProgramChange("old.txt", b.stateOf("old.txt"))},
		{Kind: "program", Target: "same.txt", Detail: "deleted", Undo: workspace.RecordProgramChange("same.txt",
			protocol.FileStateAbsent)},
	}
	if diff := cmp.Diff(want, r.Changes[1:]); diff != "" {
		t.Errorf("changes (- wanted, + got):\n%s", diff)
	}
	untilLater(t, filepath.Join(b.dir, "d/x"))
	r = b.mustRun("terminal", "action", "open", "command", "printf z > z.txt; printf done", "wait_for", "done")
	if n := len(r.Changes); n != 2 || r.Changes[1].Target != "z.txt" {
		t.Errorf("of a terminal: %+v", r.Changes)
	}
}

// TestScan_ManyChanges_AreCut: some changed files are named. If there are too many files to
// compare, the result says so.
func TestScan_ManyChanges_AreCut(t *testing.T) {
	b := newFixture(t, func(o *Options) { o.limits.entries = 30 })
	r := b.mustRun("run_command", "command", "for i in $(seq 25); do echo > $i; done")
	if last := r.Changes[len(r.Changes)-1]; len(r.Changes) != 1+maxNamed+1 || last.Target != "5 more files" || last.Undo != nil {
		t.Errorf("%d changes, the last %+v", len(r.Changes), last)
	}
	r = b.mustRun("run_command", "command", "for i in $(seq 25); do echo > x$i; done")
	if last := r.Changes[len(r.Changes)-1]; len(r.Changes) != 2 || last.Target != "." || last.Detail != "which files is not known: the folder holds more than 30" {
		t.Errorf("%d changes, the last %+v", len(r.Changes), last)
	}
}

// BenchmarkScan scans as many files as a scan may compare, without and with a file history.
func BenchmarkScan(b *testing.B) {
	for name, kept := range map[string]bool{"alone": false, "history": true} {
		b.Run(name, func(b *testing.B) {
			f := newFixture(b, func(o *Options) {
				if kept {
					o.History = openHistory(b, o.Home)
				}
			})
			for i := range 200 {
				dir := filepath.Join(f.dir, fmt.Sprint("d", i))
				if err := os.Mkdir(dir, 0o755); err != nil {
					b.Fatal(err)
				}
				for j := range 98 {
					if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(j)), nil, 0o600); err != nil {
						b.Fatal(err)
					}
				}
			}
			record := func() {
				by := protocol.HistoryAuthor{Kind: protocol.HistoryAuthorProgram}
				_, _ = f.shell.programs.recordProgram(b.Context(), by, func() error { return nil })
			}
			for range 3 { // keeps the files
				record()
			}
			for b.Loop() {
				record()
			}
		})
	}
}

// openHistory opens a new file history of a home. It closes before the test's folders are removed.
func openHistory(t testing.TB, home string) *filehistory.History {
	t.Helper()
	ws, err := workspace.Open(home, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h, err := filehistory.Open(filehistory.Options{Folder: folder, Home: ws, Room: 1 << 30, Now: time.Now,
		Report: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(h.Close(), ws.Close()); err != nil {
			t.Error(err)
		}
	})
	return h
}
