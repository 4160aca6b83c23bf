package filehistory

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestHistory_UnattachedMount_Works keeps the history in a mount that has no path.
func TestHistory_UnattachedMount_Works(t *testing.T) {
	f := newFixture(t)
	f.write("a", "one")
	f.close()
	fd, err := unix.OpenTree(unix.AT_FDCWD, f.history, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err == unix.EPERM || err == unix.ENOSYS {
		t.Skip("this process may not make a mount:", err)
	}
	f.check(err)
	f.options.Folder = os.NewFile(uintptr(fd), "history")
	f.h, err = f.openIn(f.options.Folder)
	f.check(err)
	span := f.program(func() { f.check(os.Remove(f.path("a"))) })
	if undone := f.undo(span, false, "undo 1"); f.read("a") != "one" {
		t.Errorf("got %+v", undone)
	}
	if f.h.Space().Bytes == 0 {
		t.Error("nothing is kept")
	}
}
