package engine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestReadOnlyIfUnwritable_NoRoom_Reads: the database was closed, or its process was killed. Then
// its disk has no room for bytes or files, or is mounted read-only. Without room for bytes, and
// beside an existing journal, it still opens for writing.
func TestReadOnlyIfUnwritable_NoRoom_Reads(t *testing.T) {
	fill := func(write func(n int) error) error {
		for n := 0; ; n++ {
			if err := write(n); err != nil {
				return err
			}
		}
	}
	for name, spoil := range map[string]func(dir string) error{
		"no bytes": func(dir string) error {
			f, err := os.Create(filepath.Join(dir, "big"))
			if err != nil {
				return err
			}
			err = fill(func(int) error { _, err := f.Write(make([]byte, 4096)); return err })
			return errors.Join(err, f.Close())
		},
		"no files": func(dir string) error {
			return fill(func(n int) error { return os.WriteFile(filepath.Join(dir, string(rune('a'+n))), nil, 0o600) })
		},
		"read-only": func(dir string) error {
			return errors.Join(unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""), unix.ENOSPC)
		},
	} {
		for origin, made := range map[string]func(path string) error{
			"closed": func(path string) error { openAndWrite(t, path, false, note("a")); return nil },
			"killed": killed(t),
		} {
			t.Run(name+", "+origin, func(t *testing.T) {
				path := filepath.Join(smallDisk(t), "mews.db")
				if err := made(path); err != nil {
					t.Fatal(err)
				}
				if err := spoil(filepath.Dir(path)); !errors.Is(err, unix.ENOSPC) {
					t.Fatal(err)
				}
				db, err := Open(t.Context(), path, Options{Migrations: testMigrations, ReadOnlyIfUnwritable: true})
				if err != nil {
					t.Fatal(err)
				}
				before, r := filesOf(t, path), &rig{T: t, db: db}
				stop := r.run()
				r.same("notes", r.notes(), "a")
				if writable := db.unwritable == nil; writable {
					stop()
					r.same("must be writable", name != "read-only" && name+origin != "no filesclosed", true)
					return
				}
				r.same("the problem of a write", IsUnwritable(r.write(note("b"))), true)
				r.same("notes after it", r.notes(), "a")
				stop()
				r.same("files", filesOf(t, path), before)
			})
		}
	}
}

// smallDisk mounts a disk of 2 MiB with room for 12 files.
func smallDisk(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m,nr_inodes=12"); errors.Is(err, unix.EPERM) {
		t.Skip("mounting a tmpfs is not permitted here: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}
