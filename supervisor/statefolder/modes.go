package statefolder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-hclog"
)

// modesEvery is the time between two checks of the modes.
const modesEvery = time.Minute

// FileModeRestorer restores the file modes of the supervisor's own files. In the landlock tier a
// worker has the supervisor's account and can change file modes, since Landlock can't forbid it.
// (landlock(7))
type FileModeRestorer struct {
	Private string // the folder that only the supervisor may read
	Log     hclog.Logger
}

// Run restores the file modes every minute until ctx ends.
func (m FileModeRestorer) Run(ctx context.Context) error {
	tick := time.NewTicker(modesEvery)
	defer tick.Stop()
	for {
		m.restore()
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// restore sets the modes so that only the supervisor's account can read the private files. It logs
// each mode that was changed.
func (m FileModeRestorer) restore() {
	m.restoreMode(m.Private, 0o700)
	entries, _ := os.ReadDir(m.Private)
	for _, e := range entries {
		if e.Type().IsRegular() {
			m.restoreMode(filepath.Join(m.Private, e.Name()), 0o600)
		}
	}
}

// restoreMode sets a file's mode if it is different.
func (m FileModeRestorer) restoreMode(path string, mode fs.FileMode) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode().Perm() != mode {
		err = os.Chmod(path, mode)
		m.Log.Warn("a private file has a wrong mode", "file", filepath.Base(path),
			"mode", info.Mode().Perm().String(), "restored", err == nil)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // SQLite may delete its journal at any time
		m.Log.Warn("could not restore the mode of a private file", "error", err)
	}
}
