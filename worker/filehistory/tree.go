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
	unread  []string
	at      int64 // start of the walk in ns
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

// Unread returns the folders that could not be read to their end.
func (t *Tree) Unread() []string { return t.unread }

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

// errManyEntries ends a walk. Then nothing counts as deleted.
var errManyEntries = errors.New("the home holds too many files")

// mayHold reports whether a path that is not in the tree may be in a folder that was not read.
func (t *Tree) mayHold(path string) bool {
	return slices.ContainsFunc(t.unread, func(folder string) bool { return isBelow(path, folder) })
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
	w := &walker{Tree: Tree{at: time.Now().UnixNano()}, ctx: ctx, home: h, rules: rules}
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
		case err == errManyEntries:
			w.unread = []string{from}
			return &w.Tree, nil
		case err != nil && next.path == ".":
			return nil, err
		case err != nil:
			w.unread = append(w.unread, next.path)
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
		if len(w.entries) >= maxEntries {
			return errManyEntries
		}
	}
	for i, end := first, len(w.entries); i < end; i++ {
		e := &w.entries[i]
		if e.kind != directory || e.why == onOtherDisk {
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
		if err == errManyEntries || w.ctx.Err() != nil {
			return err
		}
		if err != nil {
			w.unread = append(w.unread, below.path)
		}
	}
	return nil
}

// entry adds an entry of a folder. A name that was deleted meanwhile is left out.
func (w *walker) entry(fd int, at walkFolder, name string) {
	full := name
	if at.path != "." {
		full = at.path + "/" + name
	}
	if len(full) > maxPath || full == w.rules.temp || isHalfWritten(name) {
		return
	}
	var st unix.Stat_t
	if unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return
	}
	e := entryOf(&st)
	if e.kind == link {
		target := make([]byte, maxPath)
		n, err := unix.Readlinkat(fd, name, target)
		if err != nil {
			return
		}
		e.target = string(target[:n])
	}
	if uint64(st.Dev) != w.device {
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

// isHalfWritten reports whether a name is that of a file that is being written.
func isHalfWritten(name string) bool {
	return strings.HasPrefix(name, workspace.TemporaryPrefix) && strings.HasSuffix(name, workspace.TemporarySuffix)
}
