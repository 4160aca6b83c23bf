package statefolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// CrashCount counts the service's crashes in a row, in a file of the state folder. A start counts
// as crashed if no Stopped followed it. Only crashes of one version count together.
type CrashCount struct {
	path, version string

	mu      sync.Mutex // guards the fields below
	crashes int
	stopped bool
}

// crashFile is the file's name in the state folder.
const crashFile = "crashes"

// First words of the file. The number of crashes and the version follow.
const (
	crashRunning = "running" // the service has started, and has not stopped since
	crashStopped = "stopped" // the service was stopped
)

// BeginRun counts the last start, if it has crashed, and begins a new one. It returns the crashes
// in a row. A missing or unreadable file means that nothing has crashed.
func BeginRun(state, version string) (*CrashCount, int, error) {
	c := &CrashCount{path: filepath.Join(state, crashFile), version: version}
	text, err := os.ReadFile(c.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, 0, fmt.Errorf("count crashes: %w", err)
	}
	var word, crashed string
	n, _ := fmt.Sscan(string(text), &word, &c.crashes, &crashed) // the version may be missing
	if n < 2 || c.crashes < 0 || crashed != version {
		word, c.crashes = "", 0
	}
	if word == crashRunning {
		c.crashes++
	}
	return c, c.crashes, c.write(crashRunning)
}

// Healthy records that the service runs well, so that earlier crashes do not count any more.
func (c *CrashCount) Healthy() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.crashes = 0
	if c.stopped {
		return c.write(crashStopped)
	}
	return c.write(crashRunning)
}

// Stopped records that the service was stopped. The stop is no crash. If ForgetCrashes has ended
// the count meanwhile, it stays ended.
func (c *CrashCount) Stopped() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	if _, err := os.Lstat(c.path); errors.Is(err, fs.ErrNotExist) {
		c.crashes = 0
	}
	return c.write(crashStopped)
}

// ForgetCrashes ends the count of a state folder, for an admin who has repaired the service.
func ForgetCrashes(state string) error {
	err := os.Remove(filepath.Join(state, crashFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// write replaces the file. A crash leaves the old file or the new one.
func (c *CrashCount) write(word string) error {
	temporary := c.path + ".new"
	err := os.WriteFile(temporary, fmt.Appendf(nil, "%s %d %s\n", word, c.crashes, c.version), 0o600)
	if err == nil {
		err = os.Rename(temporary, c.path)
	}
	if err != nil {
		return fmt.Errorf("count crashes: %w", err)
	}
	return nil
}
