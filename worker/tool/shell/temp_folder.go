package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// maxOutputs bounds the long outputs that are kept. With 64 MiB each, more would fill a small /tmp.
const maxOutputs = 2

// tempFolderPrefix begins the name of a temporary folder; digits follow.
const tempFolderPrefix = "mews-shell-"

// tempFolder is a folder for the shell's temporary files. It is made at its first use.
type tempFolder struct {
	parent string

	mu  sync.Mutex
	dir string
	// file whose lock this process holds, so that other workers see that the folder is in use; nil
	// if the folder could not be locked
	lock    *os.File
	outputs []string // paths of the kept outputs, the oldest first
	made    int
	removed bool // the folder was removed for good
}

// output makes a file for a long output. It removes the oldest outputs if there are too many.
func (s *tempFolder) output() (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, err := s.create("output-", ".txt")
	if err != nil {
		return nil, fmt.Errorf("keep the output: %w", err)
	}
	s.outputs = append(s.outputs, file.Name())
	for len(s.outputs) > maxOutputs {
		_ = os.Remove(s.outputs[0]) // a program may have removed the file
		s.outputs = s.outputs[1:]
	}
	return file, nil
}

// script makes a file that holds code. The caller removes it.
func (s *tempFolder) script(code string) (string, error) {
	s.mu.Lock()
	file, err := s.create("script-", ".py")
	s.mu.Unlock()
	if err != nil {
		return "", fmt.Errorf("write the code to a file: %w", err)
	}
	_, err = file.WriteString(code)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("write the code to a file: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return file.Name(), nil
}

// create makes a file with a new number, and the folder if it is missing. The caller holds the
// mutex.
func (s *tempFolder) create(front, back string) (*os.File, error) {
	if _, err := os.Lstat(s.dir); s.dir == "" || errors.Is(err, fs.ErrNotExist) {
		dir, err := os.MkdirTemp(s.parent, tempFolderPrefix)
		if err != nil {
			return nil, err
		}
		s.unlock()
		s.dir = dir
		// without a lock another worker may remove the folder; create then makes a new folder
		s.lock, _ = lockFolder(dir)
	}
	s.made++
	name := filepath.Join(s.dir, front+strconv.Itoa(s.made)+back)
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// removeOutput removes an unneeded output.
func (s *tempFolder) removeOutput(file *os.File) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outputs = slices.DeleteFunc(s.outputs, func(name string) bool { return name == file.Name() })
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// remove removes the folder.
func (s *tempFolder) remove() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unlock()
	s.removed = true
	_ = os.Remove(filepath.Join(s.parent, gitConfigName)) // a program may have removed the file
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// unlock unlocks the folder. The caller holds the mutex.
func (s *tempFolder) unlock() {
	if s.lock != nil {
		_ = s.lock.Close() // an error loses nothing: nothing was written to the file
		s.lock = nil
	}
}

// lockFolder locks a folder until the returned file is closed. It fails at once if another process
// has the lock.
func lockFolder(dir string) (*os.File, error) {
	file, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// removeAbandoned removes the folders in parent that no process has locked. Killed workers have
// left them.
func (s *tempFolder) removeAbandoned() error {
	entries, err := os.ReadDir(s.parent)
	if errors.Is(err, fs.ErrPermission) {
		return nil // no error: the parent folder cannot be listed
	}
	for _, e := range entries {
		number, ours := strings.CutPrefix(e.Name(), tempFolderPrefix)
		if _, bad := strconv.ParseUint(number, 10, 64); bad != nil || !ours || !e.IsDir() {
			continue
		}
		dir := filepath.Join(s.parent, e.Name())
		if held, busy := lockFolder(dir); busy == nil {
			err = errors.Join(err, os.RemoveAll(dir), held.Close())
		}
	}
	return err
}
