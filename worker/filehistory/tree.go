package filehistory

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mews/worker/workspace"
)

// Bounds of a walk.
const (
	maxEntries     = 1_000_000 // entries of a tree
	maxOpenFolders = 48        // folders that a walk has open at once
	maxPath        = 4096      // bytes of a path, as in Linux; deeper folders are not read
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

// unreadable returns the unread paths that are not on another disk. A nil tree has none.
func (t *Tree) unreadable() []string {
	if t == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.unread), func(path string) bool { return t.mounts[path] })
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
var ErrManyFiles = errors.New("the home holds more than 1,000,000 files and folders")

// mayHold reports whether a path that is not in the tree may exist, because the path or a folder
// above it was not read.
func (t *Tree) mayHold(path string) bool {
	if len(t.unread) == 0 {
		return false
	}
	if len(t.unreadSet) != len(t.unread) {
		t.unreadSet = pathSet(t.unread)
	}
	return isWanted(path, t.unreadSet)
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

// walker is a running walk.
type walker struct {
	Tree
	ctx    context.Context
	home   *home
	rules  *leftOut
	device uint64
	todo   []walkFolder // folders that are too deep to be open with all folders above
}

// walkFolder is a folder that a walk enters.
type walkFolder struct {
	path string
	why  reason // reason why nothing below is kept; pending if it is
}

// walk lists everything below a folder of the home. The folder itself is not in the tree.
func (h *home) walk(ctx context.Context, from string, rules *leftOut) (*Tree, error) {
	w := &walker{Tree: Tree{at: time.Now(), number: h.walks.Add(1), mounts: map[string]bool{}}, ctx: ctx, home: h,
		rules: rules}
	var st unix.Stat_t
	if err := unix.Fstat(int(h.dir.Fd()), &st); err != nil {
		return nil, err
	}
	w.device = uint64(st.Dev)
	w.todo = []walkFolder{{from, h.reasonBelow(from, rules)}}
	for len(w.todo) > 0 {
		last := len(w.todo) - 1
		next := w.todo[last]
		w.todo = w.todo[:last]
		dir, err := h.openFolder(next.path)
		if err == nil {
			err = w.folder(dir, next, 1)
		}
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err == ErrManyFiles:
			w.unread, w.isCut = []string{from}, true
			return &w.Tree, nil
		case err != nil && next.path == ".":
			return nil, err
		case err != nil:
			w.addUnread(next.path)
		}
	}
	return &w.Tree, nil
}

// folder lists an open folder and everything below it, and closes it.
func (w *walker) folder(dir *os.File, at walkFolder, open int) error {
	defer dir.Close()
	fd := int(dir.Fd())
	if at.why == pending && isCacheFolder(fd) {
		at.why = isCache
	}
	first := len(w.entries)
	for {
		names, err := dir.Readdirnames(512)
		for _, name := range names {
			w.entry(fd, at, name)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		if len(w.entries) >= w.rules.most {
			return ErrManyFiles
		}
	}
	for i, end := first, len(w.entries); i < end; i++ {
		e := &w.entries[i]
		if e.kind != directory {
			continue
		}
		if e.why == onOtherDisk { // what was there before the mount stays
			w.addUnread(e.path)
			w.mounts[e.path] = true
			continue
		}
		below := walkFolder{e.path, e.why}
		if open >= maxOpenFolders {
			w.todo = append(w.todo, below)
			continue
		}
		sub, err := openBelow(fd, path.Base(below.path), unix.O_DIRECTORY)
		if err == nil {
			err = w.folder(sub, below, open+1)
		}
		if err == ErrManyFiles || w.ctx.Err() != nil {
			return err
		}
		if err != nil {
			w.addUnread(below.path)
		}
	}
	return nil
}

// entry adds an entry of a folder. It leaves out a name that was deleted meanwhile, and marks one
// that it cannot look at as unread.
func (w *walker) entry(fd int, at walkFolder, name string) {
	full := name
	if at.path != "." {
		full = at.path + "/" + name
	}
	if full == w.rules.temp {
		return
	}
	if len(full) > maxPath {
		w.addUnread(at.path)
		return
	}
	e, device, err := statBelow(fd, name)
	switch {
	case err == unix.ENOENT:
		return
	case err == unix.EACCES: // the same for each name in this folder
		w.addUnread(at.path)
		return
	case err != nil:
		w.addUnread(full)
		return
	case isHalfWritten(name, time.Since(time.Unix(0, e.change))):
		return
	}
	if device != w.device {
		e.why = onOtherDisk
	} else {
		e.why = w.rules.reasonFor(full, name, &e, at.why)
	}
	w.entries = append(w.entries, treeEntry{path: full, entry: e})
}

// entryOf returns the entry of a path from the result of stat(2).
func entryOf(st *unix.Stat_t) entry {
	e := entry{mode: uint16(st.Mode & 0o7777), size: st.Size, modify: st.Mtim.Nano(), change: st.Ctim.Nano(),
		inode:  st.Ino,
		device: uint64(st.Dev)}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		// st.Blocks counts units of 512 bytes in any file system (stat(2))
		e.kind, e.sparse = file, st.Blocks*512 < st.Size
	case unix.S_IFDIR:
		e.kind, e.size = directory, 0
	case unix.S_IFLNK:
		e.kind = link
	default:
		e.kind, e.size = special, 0
	}
	return e
}

// halfWrittenFor is longer than Mews ever needs to write a file.
const halfWrittenFor = time.Hour

// isHalfWritten reports whether Mews may be writing a file of this name and age.
func isHalfWritten(name string, age time.Duration) bool {
	return age < halfWrittenFor && strings.HasPrefix(name, workspace.TemporaryPrefix) &&
		strings.HasSuffix(name, workspace.TemporarySuffix)
}
