package filehistory

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol"
)

// asOwner runs a function without root's right to ignore permissions.
func asOwner(t *testing.T, run func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var had [2]unix.CapUserData
	if err := unix.Capget(&header, &had[0]); err != nil {
		t.Fatal(err)
	}
	fewer := had
	fewer[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	if err := unix.Capset(&header, &fewer[0]); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Capset(&header, &had[0]); err != nil {
			t.Error(err)
		}
	}()
	run()
}

func TestUndoSpan_ReadOnlyFolders_AreUndone(t *testing.T) {
	f := newFixture(t)
	f.write("old/deep/file", "old")
	f.check(os.Chmod(f.path("old/deep"), 0o555))
	f.check(os.Chmod(f.path("old"), 0o555))
	was := f.contents()
	span := f.program(func() {
		f.check(os.Chmod(f.path("old/deep"), 0o755))
		f.write("old/deep/file", "program")
		f.write("old/deep/made", "program")
		f.check(os.Chmod(f.path("old/deep"), 0o555))
		f.write("module/a/b", "program")
		f.check(os.Chmod(f.path("module/a"), 0o555))
		f.check(os.Chmod(f.path("module"), 0o555))
	})
	changed := f.contents()
	asOwner(t, func() {
		undone := f.undo(span, false, "undo 1")
		if got := f.contents(); !hasSameFiles(got, was) || undone.Failed.Count+undone.Changed.Count > 0 {
			t.Errorf("got %v, %+v", got, undone)
		}
		if undone = f.undo(*undone.Span, false, "undo 2"); !hasSameFiles(f.contents(), changed) {
			t.Errorf("got %v after the undo back, %+v", f.contents(), undone)
		}
	})
}

func hasSameFiles(a, b map[string]string) bool {
	for name := range a {
		if a[name] != b[name] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestUndoSpan_ClosedFolder_FailsAlone(t *testing.T) {
	f := newFixture(t)
	f.write("dir/a", "old")
	f.write("b", "old")
	span := f.program(func() {
		f.write("dir/a", "program")
		f.write("b", "program")
	})
	f.keepAll()
	f.check(os.Chmod(f.path("dir"), 0o600))
	asOwner(t, func() {
		undone := f.undo(span, true, "undo 1")
		if f.read("b") != "old" || undone.Failed.Count != 1 || undone.Restored.Count != 1 {
			t.Errorf("got %q, %+v", f.read("b"), undone)
		}
		result := f.restore(RestoreRequest{Path: "b", Point: span.To})
		if f.read("b") != "program" || result.Failed.Count > 0 {
			t.Errorf("got %q, %+v", f.read("b"), result)
		}
	})
	f.check(os.Chmod(f.path("dir"), 0o755))
	if got := f.read("dir/a"); got != "program" {
		t.Errorf("got %q", got)
	}
}

func TestRecord_ClosedFolder_DeletesNothing(t *testing.T) {
	f := newFixture(t)
	f.write("dir/closed/a", "1")
	f.write("dir/b", "1")
	f.program(func() {})
	f.check(os.Chmod(f.path("dir/closed"), 0))
	defer func() { f.check(os.Chmod(f.path("dir/closed"), 0o755)) }()
	f.write("dir/b", "2")
	byTool := protocol.HistoryAuthor{Kind: protocol.HistoryAuthorTool, Words: "move_file"}
	asOwner(t, func() {
		for _, paths := range [][]string{{"dir"}, {"dir/closed/a", "dir/b"}} {
			span, err := f.h.Record(context.Background(), paths, byTool)
			f.check(err)
			if span.To == 0 {
				continue
			}
			list, err := f.h.Differences(span)
			f.check(err)
			if len(list) != 2 || list[0].Path != "dir/b" || list[1].Path != "dir/closed" {
				t.Errorf("got %+v", list)
			}
		}
	})
	if f.h.store.index.present["dir/closed/a"] == nil {
		t.Error("the file counts as deleted")
	}
}

// TestHistory_ClosedFolder_IsOpenedAgain takes all rights from the folder of a loaded index.
func TestHistory_ClosedFolder_IsOpenedAgain(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	f.program(func() { f.write("a", "two") })
	f.keepAll()
	asOwner(t, func() {
		f.check(f.h.do(func(s *store) error { s.packs.close(); return nil }))
		f.check(os.Chmod(f.history, 0))
		if got := f.version("a", 1); got != "one" {
			t.Errorf("got %q", got)
		}
		f.pass(49 * time.Hour)
		f.check(os.Chmod(f.history, 0))
		f.check(f.h.Thin(context.Background()))
	})
}
