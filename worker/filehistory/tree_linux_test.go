package filehistory

import (
	"context"
	"os"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// withoutRights runs a function on a thread without root's right to read everything.
func withoutRights(t *testing.T, run func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		run()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, err := unix.SetfsuidRetUid(65534); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := unix.SetfsuidRetUid(0); err != nil {
			t.Fatal(err)
		}
	}()
	run()
}

// A folder that can be listed, but not entered, is no reason to record its files as deleted.
func TestWalk_FolderWithoutX_DeletesNothing(t *testing.T) {
	f := newFixture(t)
	f.write("dir/a", "one")
	f.write("dir/sub/b", "two")
	f.write("other", "three")
	p := f.begin()
	f.check(os.Chmod(f.path("dir"), 0o444))
	t.Cleanup(func() { _ = os.Chmod(f.path("dir"), 0o755) })
	f.check(os.Remove(f.path("other")))
	var tree *Tree
	withoutRights(t, func() { tree = f.walk() })
	if !slices.Equal(tree.Unread(), []string{"dir"}) {
		t.Fatalf("not read: %q", tree.Unread())
	}
	last := f.lastPoint()
	_, err := p.End(context.Background(), tree, byProgram)
	f.check(err)
	if got := f.changesAfter(last); !slices.Equal(got, []string{"program 2 dir", "program 0 other"}) {
		t.Errorf("got %q", got)
	}
	if got := f.version("dir/a", 0) + f.version("dir/sub/b", 0); got != "onetwo" {
		t.Errorf("got %q", got)
	}
}

// A process that has too many files open keeps the rest later.
func TestKeepFile_TooManyOpenFiles_IsTriedAgain(t *testing.T) {
	f := newFixture(t)
	f.program(func() {})
	f.write("a", "one")
	e := treeEntryOf(f.walk(), "a")
	f.check(f.h.do(func(s *store) error {
		var was unix.Rlimit
		f.check(unix.Getrlimit(unix.RLIMIT_NOFILE, &was))
		f.check(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: was.Max}))
		err := s.keepFile(f.h.home, "a", e, true, func() bool { return false })
		f.check(unix.Setrlimit(unix.RLIMIT_NOFILE, &was))
		if !e.wantsBytes() {
			t.Errorf("got %q", reasons[e.why])
		}
		return err
	}))
}
