package main_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"mews/supervisor/app/apptest"
)

// A signal comes at some point of the start. The start ends without an error, and leaves no
// process. The next start serves.
func TestRun_SignalDuringStart_EndsInOrder(t *testing.T) {
	h := apptest.NewService(t, "", "ann")
	for _, point := range []string{"", "lock", "private/mews.db", "private/seal.key", "trial", "control.sock"} {
		path := filepath.Join(h.Dir, "state", point)
		if err := os.RemoveAll(filepath.Join(h.Dir, "state")); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), filepath.Join(h.Bin, "mews"), "run", "--config", h.Config)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		h.WaitUntilTrue(apptest.DefaultTestTimeout, path, func() bool {
			_, err := os.Stat(path)
			return !errors.Is(err, fs.ErrNotExist)
		})
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("stopped once %s was there: %v", path, err)
		}
		h.WaitUntilTrue(apptest.DefaultTestTimeout, "every process to be gone",
			func() bool { return len(h.ProcessIDs("")) == 0 })
	}
	h.Start()
	h.Stop()
}
