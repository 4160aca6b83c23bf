// Package statefolder guards the state folder. Only one process uses the folder at a time. Other
// accounts can't read the folder's private files or the memory of that process.
package statefolder

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// InUseError is the error if another process uses the state folder.
type InUseError struct {
	state  string
	holder string // the other process, as in " (process 4711)"; "" means unknown
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("another Mews%s serves %s already; talk to it with `mews chat`, look at it with `mews status`, "+
		"or give this one a state folder of its own", e.holder, e.state)
}

// LockFolder locks the state folder for this process. The kernel releases the lock when the process
// ends, also by a crash. The folder's disk may be full or read-only.
func LockFolder(state string) (*os.File, error) {
	path := filepath.Join(state, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, unix.EROFS) {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the state folder: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		defer f.Close()
		return nil, &InUseError{state: state, holder: holder(f)}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the state folder: %w", err), f.Close())
	}
	// The lock holds without this number, so a full or read-only disk is no failure.
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(fmt.Appendln(nil, os.Getpid()), 0)
	}
	return f, nil
}

func holder(f *os.File) string {
	text, err := io.ReadAll(io.LimitReader(f, 20))
	if pid := strings.TrimSpace(string(text)); err == nil && pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}
