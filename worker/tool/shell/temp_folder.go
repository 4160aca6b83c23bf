package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// maxOutputs is how many long outputs are kept at once: with 64 MiB each they fill a small /tmp.
const maxOutputs = 2

// tempFolderPrefix is what the names of folders like this begin with; digits follow.
const tempFolderPrefix = "mews-shell-"

// tempFolder is the shell's own folder for temporary files, made when it is first needed.
type tempFolder struct {
	parent string

	mu      sync.Mutex
	dir     string
	lock    *os.File // locks the folder for as long as the process lives; nil: nobody could
	outputs []string // the oldest first
	made    int
}

// output makes a file for a long output. The oldest ones go when there are too many.
func (s *tempFolder) output() (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, err := s.create("output-", ".txt")
	if err != nil {
		return nil, fmt.Errorf("keep the output: %w", err)
	}
	s.outputs = append(s.outputs, file.Name())
	for len(s.outputs) > maxOutputs {
		_ = os.Remove(s.outputs[0]) // a program may have done so before
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

// create makes a file with a number of its own, and the folder where it is missing. The caller holds the mutex.
func (s *tempFolder) create(front, back string) (*os.File, error) {
	if _, err := os.Lstat(s.dir); s.dir == "" || errors.Is(err, fs.ErrNotExist) {
		dir, err := os.MkdirTemp(s.parent, tempFolderPrefix)
		if err != nil {
			return nil, err
		}
		s.release()
		s.dir = dir
		s.lock, _ = lockFolder(dir) // without: another shell may remove it, and it is made again
	}
	s.made++
	name := filepath.Join(s.dir, front+strconv.Itoa(s.made)+back)
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// drop removes an output that need not be kept.
func (s *tempFolder) drop(file *os.File) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.outputs[:0]
	for _, name := range s.outputs {
		if name != file.Name() {
			kept = append(kept, name)
		}
	}
	s.outputs = kept
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// remove takes the folder away.
func (s *tempFolder) remove() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// release unlocks the folder. The caller holds the mutex.
func (s *tempFolder) release() {
	if s.lock != nil {
		_ = s.lock.Close() // it was read only
		s.lock = nil
	}
}

// lockFolder locks a folder until what it returns is closed. It does not wait.
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

// removeAbandoned removes the folders that others have left: those that nobody holds. A shell that was killed leaves its own.
func (s *tempFolder) removeAbandoned() error {
	entries, err := os.ReadDir(s.parent)
	if errors.Is(err, fs.ErrPermission) {
		return nil // it may be written all the same, and what is in it is not to be found
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
