package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
)

// Filesystem describes the file system of a folder.
type Filesystem struct {
	Name    string // name of the file system; "" means unknown
	Network bool   // the files are on another machine or belong to another kernel
	Free    int64  // number of free bytes; negative means unknown
}

// fullBelow is the number of free bytes below which a failed write counts as a full disk.
const fullBelow = 1 << 20

// blameFullDisk turns an I/O error into ProblemDiskFull if the disk of dir is full. The driver's
// error does not say so.
func blameFullDisk(err error, dir string, probe func(dir string) (Filesystem, error)) error {
	if !errors.Is(err, sqlite3.IOERR) {
		return err
	}
	fs, probed := probe(dir)
	if probed != nil || fs.Free < 0 || fs.Free >= fullBelow {
		return err
	}
	return fmt.Errorf("%w: %d bytes are free in %s: %w", sqlite3.FULL, fs.Free, dir, err)
}

// prepareFile makes path ready to open: a file on a file system of this machine. It returns an
// absolute path that stays valid if the working folder changes. With mustExist it makes no file. It
// then refuses an empty file, because SQLite would delete the journal of an empty file.
func prepareFile(path string, probe func(dir string) (Filesystem, error), mustExist bool) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(path)
	fs, err := probe(dir)
	if err != nil {
		return "", fmt.Errorf("ask what file system %s is on: %w", dir, err)
	}
	if fs.Network {
		// locks of a network file system are unreliable
		return "", &Error{ProblemNetworkDisk, []any{dir, fs.Name}}
	}
	if mustExist {
		return path, refuseEmpty(path)
	}
	return path, createFile(path)
}

// refuseEmpty returns an error if the file at path is missing or empty.
func refuseEmpty(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return &Error{ProblemDatabaseMissing, []any{path}}
	}
	return err
}

// createFile makes an empty file at path, unless one exists.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close(), syncDir(filepath.Dir(path)))
}

// syncDir writes the names in dir to the disk, so that they survive a loss of power.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
