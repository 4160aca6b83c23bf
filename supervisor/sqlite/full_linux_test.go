package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAFullDiskLosesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); errors.Is(err, unix.EPERM) {
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
	db, err := Open(t.Context(), filepath.Join(dir, "mews.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, db: db}
	defer r.run()()
	kept := r.fill()
	r.same("entries while it is full", r.count("SELECT count(*) FROM audit"), kept)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	r.same("the next write", r.db.Audit().Put(t.Context(), "alice", "fill", "y"), nil)
	r.same("entries", r.count("SELECT count(*) FROM audit"), kept+1)
	r.same("sound", quickCheck(db.readers.QueryRowContext(t.Context(), "PRAGMA integrity_check")), nil)
}
