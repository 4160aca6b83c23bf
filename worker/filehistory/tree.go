package filehistory

import (
	"errors"
	"io/fs"
	"iter"
	"time"

	"mews/worker/workspace"
)

// Tree lists everything in the home at one moment.
type Tree struct {
	entries []treeEntry
	unread  []string        // folders and other paths that could not be read to their end
	mounts  map[string]bool // unread folders that are on another disk
	at      time.Time       // start of the walk
	number  int64           // no other tree of this worker has it
	isCut   bool            // the home holds more entries

	unreadSet map[string]bool // the same as unread, for mayHold
}

type treeEntry struct {
	path string
	entry
}

// TreeEntry is a file, folder, link or special file of a Tree.
type TreeEntry struct {
	Path     string // clean path in the home; may have any bytes except NUL
	Mode     fs.FileMode
	Size     int64
	Modified time.Time
	Stamp    workspace.Stamp
}

// Entries returns all entries in no order, without the home itself.
func (t *Tree) Entries() iter.Seq[TreeEntry] {
	return func(yield func(TreeEntry) bool) {
		for i := range t.entries {
			e := &t.entries[i]
			if !yield(TreeEntry{Path: e.path, Mode: e.perm() | e.kind.mode(), Size: e.size,
				Modified: time.Unix(0, e.modify),
				Stamp:    workspace.NewStamp(e.inode, e.size, e.change)}) {
				return
			}
		}
	}
}

// Unread returns the folders and other paths that could not be read to their end.
func (t *Tree) Unread() []string { return t.unread }

// Err returns ErrManyFiles if the home holds more entries than the tree.
func (t *Tree) Err() error {
	if t.isCut {
		return ErrManyFiles
	}
	return nil
}

// unreadable returns the unread paths that are not on another disk, with the time of their last
// change in ns. A nil tree has none.
func (t *Tree) unreadable() map[string]int64 {
	changes := map[string]int64{}
	if t == nil || len(t.unread) == 0 {
		return changes
	}
	for _, path := range t.unread {
		if !t.mounts[path] {
			changes[path] = 0
		}
	}
	for i := range t.entries {
		if e := &t.entries[i]; e.kind == directory {
			if _, unread := changes[e.path]; unread {
				changes[e.path] = e.change
			}
		}
	}
	return changes
}

// mode returns the kind in Go's form.
func (k entryKind) mode() fs.FileMode {
	switch k {
	case directory:
		return fs.ModeDir
	case link:
		return fs.ModeSymlink
	case special:
		return fs.ModeIrregular
	}
	return 0
}

// ErrManyFiles ends a walk. Then nothing counts as deleted.
var ErrManyFiles = errors.New("the home holds more than 300,000 files and folders")

// mayHold reports whether a path that is not in the tree may exist. It may if the path or a folder
// above it was not read.
func (t *Tree) mayHold(path string) bool {
	if len(t.unread) == 0 {
		return false
	}
	if len(t.unreadSet) != len(t.unread) {
		t.unreadSet = pathSet(t.unread)
	}
	return isWithin(path, t.unreadSet)
}

// addUnread notes a path that could not be read.
func (t *Tree) addUnread(path string) {
	if n := len(t.unread); n == 0 || t.unread[n-1] != path {
		t.unread = append(t.unread, path)
	}
}

// isBelow reports whether a path is in a folder.
func isBelow(path, folder string) bool {
	return folder == "." || len(path) > len(folder) && path[len(folder)] == '/' && path[:len(folder)] == folder
}
