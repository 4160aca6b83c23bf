// Package workspace gives tools access to a user's folder. No path can leave the folder: not by
// "..", not as an absolute path, and not through a symbolic link, even while another process swaps
// links. Every access goes through an os.Root. A write happens completely or not at all, and a
// deletion is a move into the folder's own trash.
//
// The folder's rules (protocol.FilePolicy) keep tools from files that the user has excluded. The
// rules are no wall, because programs in the same folder do not obey them.
//
// A path has slashes and is relative to the folder. "/notes", "./notes", "~/notes", and the
// folder's own absolute path before a name, mean the same file as "notes".
package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mews/protocol"
)

// Workspace is an open folder. Its methods may be called from any goroutine. If two methods change
// the same path at once (WriteFile, AppendFile, MoveFile, MoveToTrash, RemoveHalfWrittenFiles), the
// result of one of them stays, complete.
type Workspace struct {
	root  *os.Root
	dir   string // absolute path without a slash at its end; "" means the root of the file system
	rules rules
	quota Quota

	records records
}

// Quota is asked before each write, and told its result.
type Quota interface {
	// CheckGrowth explains why the folder may not grow by that many bytes; nil means that it may
	CheckGrowth(grow int64) error
	// RecordGrowth records that the folder has grown by that many bytes, or shrunk if by is
	// negative
	RecordGrowth(by int64)
}

// SetQuota sets the quota of later writes. Call it before the first write.
func (w *Workspace) SetQuota(q Quota) { w.quota = q }

// Open opens the folder dir, which must exist. The caller closes the workspace.
func Open(dir string, policy protocol.FilePolicy) (*Workspace, error) {
	rules, err := newRules(policy)
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", dir, err)
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w", dir, err)
	}
	root, err := os.OpenRoot(absolute)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	if absolute == "/" {
		absolute = ""
	}
	return &Workspace{root: root, dir: absolute, rules: rules, quota: unlimitedQuota{}}, nil
}

// Close closes the folder. Open files stay open.
func (w *Workspace) Close() error { return w.root.Close() }

// OpenFolder opens the folder itself for reading. The caller closes it.
func (w *Workspace) OpenFolder() (*os.File, error) {
	f, err := w.root.Open(".")
	return f, wrapError("read", ".", err)
}

// Stat describes the file at path, links followed.
func (w *Workspace) Stat(path string) (fs.FileInfo, error) {
	p, err := w.findVisible(path, followLinks)
	return p.info, wrapError("look at", path, err)
}

// Open opens a regular file for reading. It never waits, even if path is a pipe or a device. The
// caller closes the file.
func (w *Workspace) Open(path string) (*os.File, error) {
	p, err := w.findVisible(path, followLinks)
	if err == nil {
		err = checkRegular(p.info)
	}
	if err != nil {
		return nil, wrapError("read", path, err)
	}
	f, err := openRegular(w.root, p.name, os.O_RDONLY)
	return f, wrapError("read", path, err)
}
