package filehistory

import (
	"context"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mews/worker/workspace"
)

// Bounds of a walk.
const (
	// maxEntries bounds the entries of a tree. As many new files take half of a worker's memory
	// (measured: 518 of 1024 MB; 600,000 end the worker).
	maxEntries     = 300_000
	maxOpenFolders = 48   // folders that a walk has open at once
	maxPath        = 4096 // bytes of a path, as in Linux; deeper folders are not read
)

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
	w.home.setOwnMode(full, &e)
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
