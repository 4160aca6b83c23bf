package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// modesEvery is how often the modes of the supervisor's own files are looked at.
const modesEvery = time.Minute

// keepModes restores the modes of the supervisor's own files for as long as it runs. In the
// landlock tier a worker that shares its account can change them: Landlock has no right for that
// (landlock(7)).
func (s *storage) keepModes(ctx context.Context) error {
	tick := time.NewTicker(modesEvery)
	defer tick.Stop()
	for {
		s.restoreModes()
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// restoreModes has nobody but this process's account read what is private, and lets that account do
// so. What is wrong is logged: somebody has changed it.
func (s *storage) restoreModes() {
	s.restoreMode(s.private(""), 0o700)
	entries, _ := os.ReadDir(s.private(""))
	for _, e := range entries {
		if e.Type().IsRegular() {
			s.restoreMode(s.private(e.Name()), 0o600)
		}
	}
}

// restoreMode gives a file its mode where it has another.
func (s *storage) restoreMode(path string, mode fs.FileMode) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode().Perm() != mode {
		err = os.Chmod(path, mode)
		s.log.Warn("a private file had another mode", "file", filepath.Base(path), "mode", info.Mode().Perm().String(), "restored", err == nil)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a journal comes and goes
		s.log.Warn("look at the mode of a private file", "error", err)
	}
}
