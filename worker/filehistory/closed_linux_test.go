package filehistory

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// chmod sets the modes of some paths in their order.
func (f *fixture) chmod(mode os.FileMode, names ...string) {
	f.t.Helper()
	for _, name := range names {
		f.check(os.Chmod(f.path(name), mode))
	}
}

func TestUndoSpan_FolderClosedByProgram_ComesBack(t *testing.T) {
	for _, mode := range []os.FileMode{0, 0o600, 0o444, 0o300} {
		f := newFixture(t)
		f.write("docs/diary", "dear diary")
		f.write("docs/note", "old")
		f.write("docs/sub/deep", "old")
		f.check(os.Mkdir(f.path("docs/empty"), 0o755))
		was := f.contents()
		asOwner(t, func() {
			p := f.begin()
			f.check(os.Remove(f.path("docs/diary")))
			f.write("docs/note", "program")
			f.write("docs/sub/deep", "program")
			f.write("docs/sub/made", "program")
			f.check(os.Remove(f.path("docs/empty")))
			f.chmod(mode, "docs/sub", "docs")
			span := f.end(p)
			if info, err := os.Stat(f.path("docs")); err != nil || info.Mode().Perm() != mode {
				t.Errorf("mode %o: the folder is left with %v, %v", mode, info.Mode(), err)
			}
			if n := p.NotKept(); n.Count > 0 {
				t.Errorf("mode %o: %+v", mode, n)
			}
			f.keepAll()
			undone := f.undo(span, false, "undo 1")
			if diff := cmp.Diff(was, f.contents()); diff != "" || undone.Failed.Count+undone.Changed.Count > 0 {
				t.Errorf("mode %o: %+v\n%s", mode, undone, diff)
			}
			f.undo(*undone.Span, false, "undo 2")
			f.chmod(0o755, "docs", "docs/sub")
			if got := f.read("docs/note") + f.read("docs/sub/made"); got != "programprogram" {
				t.Errorf("mode %o: got %q after the undo back", mode, got)
			}
			if n := len(f.h.home.opened); n > 0 {
				t.Errorf("%d folders are open", n)
			}
		})
	}
}

// The user's files in a folder that was closed before are not new, wherever the folder is.
func TestProgram_MovesClosedFolder_LeavesItClosed(t *testing.T) {
	f := newFixture(t)
	f.write("private/own", "own")
	f.write("docs/a", "old")
	f.chmod(0o300, "private") // a folder moves only if its owner may write to it
	asOwner(t, func() {
		f.lastPoint() // loads the history on this thread
		p := f.begin()
		f.write("docs/a", "program")
		f.check(os.Mkdir(f.path("new"), 0o755))
		f.check(os.Rename(f.path("private"), f.path("docs/moved")))
		f.check(os.Mkdir(f.path("new/closed"), 0))
		f.chmod(0, "docs")
		span := f.end(p)
		if n := p.NotKept(); !slices.Equal(slices.Sorted(slices.Values(n.Named)), []string{"docs/moved", "new/closed",
			"private"}) {
			t.Errorf("not kept: %+v", n)
		}
		f.undo(span, false, "undo 1")
		if got := f.read("docs/a"); got != "old" {
			t.Errorf("got %q", got)
		}
		f.chmod(0o755, "docs/moved")
		if got := f.read("docs/moved/own"); got != "own" {
			t.Errorf("got %q", got)
		}
	})
}

// A program opens a folder that was closed, and closes it again. Nobody knows its changes there.
func TestProgram_OpensAndClosesFolder_IsNamed(t *testing.T) {
	for _, opens := range []bool{true, false} {
		f := newFixture(t)
		f.write("private/own", "own")
		f.write("docs/a", "old")
		f.chmod(0, "private")
		asOwner(t, func() {
			f.lastPoint() // loads the history on this thread
			p := f.begin()
			if opens {
				f.chmod(0o700, "private")
				f.check(os.Remove(f.path("private/own")))
				f.chmod(0, "private")
			}
			f.end(p)
			if n := p.NotKept(); slices.Equal(n.Named, []string{"private"}) != opens || !opens && n.Count > 0 {
				t.Errorf("opened %t: not kept: %+v", opens, n)
			}
		})
	}
}

// A user has closed a folder since, so an undo does not look into it.
func TestUndoSpan_ClosedSince_StaysClosed(t *testing.T) {
	f := newFixture(t)
	f.write("docs/a", "old")
	span := f.program(func() { f.write("docs/a", "program") })
	asOwner(t, func() {
		f.chmod(0, "docs")
		if undone := f.undo(span, false, "undo 1"); undone.Failed.Count != 1 {
			t.Errorf("got %+v", undone)
		}
		if info, err := os.Stat(f.path("docs")); err != nil || info.Mode().Perm() != 0 {
			t.Errorf("got %v, %v", info.Mode(), err)
		}
	})
}

func TestRestore_ClosedFolder_RestoresContents(t *testing.T) {
	f := newFixture(t)
	f.write("docs/diary", "dear diary")
	f.write("docs/sub/a", "old")
	f.write("private/own", "own")
	f.chmod(0, "private")
	asOwner(t, func() {
		f.program(func() {})
		was := f.lastPoint()
		f.check(os.Remove(f.path("docs/diary")))
		f.write("docs/sub/a", "changed")
		f.chmod(0, "docs/sub", "docs")
		f.check(f.h.Scan(context.Background()))
		result := f.restore(RestoreRequest{Path: ".", Point: was})
		if got := f.read("docs/diary") + f.read("docs/sub/a"); got != "dear diaryold" || result.Failed.Count > 0 {
			t.Errorf("got %q, %+v", got, result)
		}
		if info, err := os.Stat(f.path("private")); err != nil || info.Mode().Perm() != 0 {
			t.Errorf("got %v, %v", info.Mode(), err)
		}
		f.chmod(0o755, "private")
		if got := f.read("private/own"); got != "own" {
			t.Errorf("got %q", got)
		}
	})
}

func TestWalk_ClosedHome_IsOpenedAndReported(t *testing.T) {
	for _, mode := range []os.FileMode{0o644, 0o300, 0} {
		f := newFixture(t)
		f.write("docs/a", "old")
		asOwner(t, func() {
			p := f.begin()
			f.write("docs/a", "program")
			f.check(os.Chmod(f.home, mode))
			span := f.end(p)
			undone := f.undo(span, false, "undo 1")
			if got := f.read("docs/a"); got != "old" || undone.Restored.Count != 1 {
				t.Errorf("mode %o: got %q, %+v", mode, got, undone)
			}
		})
		if len(f.reports) != 1 {
			t.Errorf("mode %o: %v", mode, f.reports)
		}
	}
}
