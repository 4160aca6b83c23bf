package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// machine is the system that an installer changes: its files below a root folder, and its commands.
type machine struct {
	root  string // "/" or the folder of an image
	image bool   // the system below root does not run here
	// command runs a program with root's rights, and returns its output
	command func(ctx context.Context, name string, args ...string) (string, error)
	// changed is called after each change; an error ends the installer there, as a kill would
	changed func() error
}

// path returns where a path of the installed system is now.
func (m machine) path(path string) string { return filepath.Join(m.root, path) }

// RunCommand runs a program, and puts its output into the error if it fails.
func RunCommand(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return text, fmt.Errorf(textCommandFailed, name, strings.Join(args, " "), err, text)
	}
	return text, nil
}

// change runs a command that changes the system.
func (m machine) change(ctx context.Context, name string, args ...string) error {
	if _, err := m.command(ctx, name, args...); err != nil {
		return err
	}
	return m.changed()
}

// read returns a file's content; nil if there is no file.
func (m machine) read(path string) ([]byte, error) {
	text, err := os.ReadFile(m.path(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// exists reports whether something is at a path. It follows no link.
func (m machine) exists(path string) bool {
	_, err := os.Lstat(m.path(path))
	return err == nil
}

// status returns the owner, the group and the mode of what is at a path; ok is false for nothing.
func (m machine) status(path string) (st syscall.Stat_t, ok bool) {
	return st, syscall.Lstat(m.path(path), &st) == nil
}

// write writes a whole file, or nothing. The new file replaces the old one at once.
func (m machine) write(path string, text []byte, mode fs.FileMode, group int) error {
	return m.place(path, bytes.NewReader(text), mode, group)
}

// place is write for the content of a reader.
func (m machine) place(path string, from io.Reader, mode fs.FileMode, group int) (err error) {
	if err := m.mkdirs(filepath.Dir(path)); err != nil {
		return err
	}
	part := m.path(path) + ".part" // a run that was killed may have left it
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	if err == nil && group != 0 {
		err = file.Chown(-1, group)
	}
	if err == nil {
		err = errors.Join(file.Chmod(mode), file.Sync())
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := m.changed(); err != nil {
		return err
	}
	if err := os.Rename(part, m.path(path)); err != nil {
		return err
	}
	return m.changed()
}

// mkdirs makes missing folders of root's that everybody may enter.
func (m machine) mkdirs(path string) error {
	if m.exists(path) {
		return nil
	}
	if err := m.mkdirs(filepath.Dir(path)); err != nil {
		return err
	}
	return m.mkdir(path, 0o755)
}

// mkdir makes one folder, whatever the umask is.
func (m machine) mkdir(path string, mode fs.FileMode) error {
	err := os.Mkdir(m.path(path), mode)
	if err == nil {
		err = os.Chmod(m.path(path), mode)
	}
	if err != nil {
		return err
	}
	return m.changed()
}

// link makes a symbolic link, or replaces one at once.
func (m machine) link(target, path string) error {
	if err := m.mkdirs(filepath.Dir(path)); err != nil {
		return err
	}
	part := m.path(path) + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(target, part); err != nil {
		return err
	}
	if err := m.changed(); err != nil {
		return err
	}
	if err := os.Rename(part, m.path(path)); err != nil {
		return err
	}
	return m.changed()
}

// remove removes a file, a link or an empty folder.
func (m machine) remove(path string) error {
	if err := os.Remove(m.path(path)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return m.changed()
}
