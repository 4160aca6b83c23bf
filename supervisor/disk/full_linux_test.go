package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// smallDisk returns a folder on a disk of 40 MiB with room for 400 files.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=40m,nr_inodes=400"); err != nil {
		t.Skip("a disk of its own takes mounting a tmpfs, which is not permitted here: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestFreeBallastForStart_FullDisk_MakesRoom: the disk has no room for bytes, or no room for
// further files.
func TestFreeBallastForStart_FullDisk_MakesRoom(t *testing.T) {
	for name, fill := range map[string]func(dir string) error{
		"bytes": func(dir string) error { return makeFile(filepath.Join(dir, "big"), 40*mib) },
		"files": func(dir string) (err error) {
			for n := 0; err == nil; n++ {
				err = os.WriteFile(filepath.Join(dir, fmt.Sprint("small-", n)), nil, 0o600)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := smallDisk(t)
			s, err := FreeBallastForStart(dir)
			if err != nil || s.IsFull() {
				t.Fatal(s, err)
			}
			if err := BallastIn(dir).Make(s); err != nil {
				t.Fatal(err)
			}
			if s, err = FreeBallastForStart(dir); err != nil || !BallastIn(dir).IsWhole(s) {
				t.Fatal("with room the ballast is freed", err)
			}
			if name == "bytes" { // fallocate allocates all bytes of a file or none
				if s, err = SpaceOf(dir); err != nil || makeFile(filepath.Join(dir, "most"), s.Free) != nil {
					t.Fatal(err)
				}
			}
			if err := fill(dir); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("filled: %v", err)
			}
			if s, err = FreeBallastForStart(dir); err != nil || s.Free == 0 || s.FreeFiles < ballastFiles {
				t.Errorf("%v, %v", s, err)
			}
			if err := os.WriteFile(filepath.Join(dir, "new"), make([]byte, mib), 0o600); err != nil && name == "bytes" {
				t.Error(err)
			}
		})
	}
}
