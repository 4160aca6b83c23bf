package disk

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mews/protocol"
)

// The ballast has several files, so that deleting them also makes room for new files.
const (
	ballastBytes = 64 << 20
	ballastFiles = 16
)

// ballastSize returns the size of the ballast: ballastBytes, or the disk's reserve if that is
// smaller.
func ballastSize(s Space) int64 { return min(ballastBytes, protocol.DiskReserve(s.Total)) }

// Ballast is a folder of files that only take room, until the room is needed.
type Ballast struct{ Dir string }

func (b Ballast) file(n int) string { return filepath.Join(b.Dir, fmt.Sprint(n)) }

// IsWhole reports whether all files of the ballast exist, in the size for this disk.
func (b Ballast) IsWhole(s Space) bool {
	for n := range ballastFiles {
		info, err := os.Lstat(b.file(n))
		if err != nil || info.Size() < ballastSize(s)/ballastFiles {
			return false
		}
	}
	return true
}

// exists reports whether at least one file of the ballast exists.
func (b Ballast) exists() bool {
	names, err := os.ReadDir(b.Dir)
	return err == nil && len(names) > 0
}

// Free deletes the files of the ballast. freed is false if there were no files.
func (b Ballast) Free() (freed bool, err error) {
	var errs []error
	for n := range ballastFiles {
		err := os.Remove(b.file(n))
		freed = freed || err == nil
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if freed { // a journalling file system reuses the room only after its next commit
		errs = append(errs, syncFolder(b.Dir))
	}
	return freed, errors.Join(errs...)
}

// Make makes the missing files of the ballast. If that fails, it deletes all files of the ballast.
func (b Ballast) Make(s Space) (err error) {
	if err := os.MkdirAll(b.Dir, 0o700); err != nil {
		return fmt.Errorf("make the ballast: %w", err)
	}
	for n := range ballastFiles {
		if err := makeFile(b.file(n), ballastSize(s)/ballastFiles); err != nil {
			_, freeing := b.Free()
			return fmt.Errorf("make the ballast: %w", errors.Join(err, freeing))
		}
	}
	return nil
}

// makeFile makes a file that takes that many bytes of the disk.
func makeFile(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err = allocate(f.Fd(), size); errors.Is(err, errors.ErrUnsupported) {
		// zeros would take no room on a file system that compresses
		_, err = io.CopyN(f, rand.Reader, size)
	}
	return errors.Join(err, f.Close())
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
