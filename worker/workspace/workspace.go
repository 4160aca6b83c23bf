// Package workspace is the one door between tools and a person's folder. A path given to it cannot leave the
// folder, by "..", by being absolute or through a symbolic link, also while somebody swaps links under it: every
// access goes through an os.Root. A write is whole or not there, and a deletion is a move into the folder's own
// trash.
//
// On top of that stand the folder's rules (protocol.FilePolicy). They keep tools from what the person does not want
// them to touch; they are no wall, because a program that runs in the same folder does not ask them.
//
// A path is slash-separated and relative to the folder. The forms "/notes", "./notes" and "~/notes", and the folder's
// own absolute path before a name, mean the same file as "notes".
package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mews/protocol"
)

// Workspace is an open folder. Reading methods may be called from any goroutine at any time; of the writing ones
// (Write, Append, Move, Trash, Sweep) two at once on the same path leave one of the two results, whole.
type Workspace struct {
	root  *os.Root
	dir   string // absolute, without a slash at its end; "" is the machine's whole file system
	rules rules
	quota Quota
}

// Quota is asked before anything is written, and told after it.
type Quota interface {
	Fits(grow int64) error // why the folder may not hold so many bytes more; nil: it may
	Grew(by int64)         // it holds so many bytes more than before; fewer where by is negative
}

// SetQuota has what is written fit into a room. It is called before the first write.
func (w *Workspace) SetQuota(room Quota) { w.quota = room }

// Open opens the folder dir, which must be there. The caller closes the workspace.
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
	return &Workspace{root: root, dir: absolute, rules: rules, quota: unlimited{}}, nil
}

// Close lets go of the folder. Files that are open stay open.
func (w *Workspace) Close() error { return w.root.Close() }

// Stat describes what path leads to, links followed.
func (w *Workspace) Stat(path string) (fs.FileInfo, error) {
	p, err := w.find(path, followLinks)
	if err != nil {
		return nil, wrapError("look at", path, err)
	}
	return p.info, nil
}

// Open opens a regular file for reading; it never waits, whatever stands at path. The caller closes the file.
func (w *Workspace) Open(path string) (*os.File, error) {
	p, err := w.find(path, followLinks)
	if err != nil {
		return nil, wrapError("read", path, err)
	}
	if err := checkRegular(p.info); err != nil {
		return nil, wrapError("read", path, err)
	}
	f, err := openRegular(w.root, p.name, os.O_RDONLY)
	if err != nil {
		return nil, wrapError("read", path, err)
	}
	return f, nil
}
