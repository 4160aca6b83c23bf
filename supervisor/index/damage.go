package index

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mews/supervisor/internal/engine"
)

// rebuildable reports whether rebuilding the database fixes an error.
func rebuildable(err error) bool {
	switch problem, _ := engine.ProblemOf(err); problem {
	case engine.ProblemFileDamaged, engine.ProblemNewerSchema, engine.ProblemOtherMigrations,
		engine.ProblemForeignDatabase:
		return true
	}
	return false
}

func isFull(err error) bool {
	problem, _ := engine.ProblemOf(err)
	return problem == engine.ProblemDiskFull
}

// RemoveDatabase deletes the index at path, and a damaged index that was set aside. No service may
// have the index open.
func RemoveDatabase(path string) error {
	err := removeSetAside(path)
	for _, name := range []string{path, path + "-wal"} {
		if gone := os.Remove(name); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// setAside renames an unusable database, so that an admin can find the cause. Only the newest
// unusable database is kept.
func setAside(path string, now time.Time) error {
	err := removeSetAside(path)
	err = errors.Join(err, os.Rename(path, path+".bad-"+now.UTC().Format("20060102T150405")))
	if gone := os.Remove(path + "-wal"); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// removeSetAside deletes the database that was set aside.
func removeSetAside(path string) error {
	old, err := filepath.Glob(path + ".bad-*")
	for _, name := range old {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}
