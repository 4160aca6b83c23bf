package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestFullDisk_FailedWrites_LoseNothing(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); errors.Is(err, unix.EPERM) {
		t.Skip("mounting a tmpfs is not permitted here: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRigAt(t, filepath.Join(dir, "mews.db"))
	defer r.run()()
	kept := r.fill()
	r.same("entries while it is full", r.count("SELECT count(*) FROM audit"), kept)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	r.same("the next write", r.db.Audit().Append(t.Context(), "alice", "fill", "y"), nil)
	r.same("entries", r.count("SELECT count(*) FROM audit"), kept+1)
	r.same("sound", strings.Join(r.list("PRAGMA integrity_check"), " "), "ok")
}
