package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

// maxEntries bounds the names read from one folder. A list of that many names takes about 60 MB of
// memory.
const maxEntries = 200_000

// Entry is a file, folder or link that a walk visits.
type Entry struct {
	Path string      // clean path of the entry, relative to the workspace
	Info fs.FileInfo // information about the entry itself: a symbolic link is not followed
	// Err tells why some or all names of a folder could not be read. Such a folder is visited a
	// second time, with Err.
	Err error

	root *os.Root
}

// Open opens the entry for reading if it is a regular file. The caller closes the file. Open costs
// less than Workspace.Open, because the walk has resolved the entry's folder.
func (e Entry) Open() (*os.File, error) {
	f, err := openRegular(e.root, e.Path, os.O_RDONLY)
	return f, wrapError("read", e.Path, err)
}

// Walk visits everything below the folder dir, or only the file dir. It visits the entries in the
// order of their names, and a folder before its contents. It leaves out hidden files, and the trash
// unless dir is in the trash.
//
// If visit returns fs.SkipDir, Walk skips the contents of the visited folder, or the later files
// beside the visited file. fs.SkipAll ends the walk. Any other error ends the walk and is returned.
// The walk also ends when ctx ends.
func (w *Workspace) Walk(ctx context.Context, dir string, visit func(Entry) error) error {
	p, err := w.findVisible(dir, followLinks)
	if err != nil {
		return wrapError("list", dir, err)
	}
	if !p.info.IsDir() {
		err := visit(Entry{Path: p.name, Info: p.info, root: w.root})
		if errors.Is(err, fs.SkipDir) || errors.Is(err, fs.SkipAll) {
			return nil
		}
		return err
	}
	return walk(ctx, w.root, p.name, w.rules.visible, visit)
}

// visible reports whether a walk shows an entry.
func (r rules) visible(name string, info fs.FileInfo) bool {
	return name != trash && !isTemporary(info.Name()) && !r.hidden(name, info.IsDir())
}

// filter reports whether a walk shows an entry.
type filter func(name string, info fs.FileInfo) bool

// allEntries shows every entry, for walks that must miss nothing.
func allEntries(string, fs.FileInfo) bool { return true }

// walk visits everything in the folder dir, without dir itself.
func walk(ctx context.Context, root *os.Root, dir string, seen filter, visit func(Entry) error) error {
	info, err := root.Stat(dir)
	if err != nil {
		return wrapError("list", dir, err)
	}
	w := &walker{ctx: ctx, root: root, visible: seen, visit: visit}
	entries, err := w.read(dir)
	if err != nil && len(entries) == 0 && ctx.Err() == nil {
		return wrapError("list", dir, err)
	}
	err = w.folder(Entry{Path: dir, Info: info, Err: err, root: root}, entries)
	if errors.Is(err, fs.SkipAll) || errors.Is(err, fs.SkipDir) {
		return nil
	}
	return err
}

// walker is a running walk.
type walker struct {
	ctx     context.Context
	root    *os.Root
	visible filter
	visit   func(Entry) error
}

// folder visits the entries of a folder. If the entries are incomplete, it then visits the folder a
// second time.
func (w *walker) folder(dir Entry, entries []Entry) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	if dir.Err != nil {
		dir.Err = wrapError("list", dir.Path, dir.Err)
		if err := w.visit(dir); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if err := w.entry(e); err != nil {
			return err
		}
	}
	return nil
}

// entry visits an entry, and a folder's contents.
func (w *walker) entry(e Entry) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	err := w.visit(e)
	if err == nil && e.Info.IsDir() {
		var entries []Entry
		entries, e.Err = w.read(e.Path)
		err = w.folder(e, entries)
	}
	if e.Info.IsDir() && errors.Is(err, fs.SkipDir) {
		return nil
	}
	return err
}

// read lists a folder in the order of names. If it fails, it returns the entries read so far and
// the error.
func (w *walker) read(dir string) ([]Entry, error) {
	f, err := w.root.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var entries []Entry
	for err == nil && w.ctx.Err() == nil {
		var some []fs.DirEntry
		some, err = f.ReadDir(1024)
		for _, d := range some {
			info, lost := d.Info()
			if lost != nil {
				continue // the entry was deleted meanwhile
			}
			if name := path.Join(dir, d.Name()); w.visible(name, info) {
				entries = append(entries, Entry{Path: name, Info: info, root: w.root})
			}
		}
		if len(entries) > maxEntries {
			entries, err = entries[:maxEntries], ErrTooManyEntries
		}
	}
	if err == io.EOF {
		err = nil
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return entries, err
}

// RemoveHalfWrittenFiles removes half-written files older than a time. Crashes leave such files. It
// returns the number of removed files. It ignores the rules, and skips folders that it cannot read.
func (w *Workspace) RemoveHalfWrittenFiles(ctx context.Context, before time.Time) (int, error) {
	removed := 0
	err := walk(ctx, w.root, ".", allEntries, func(e Entry) error {
		if e.Err != nil || !e.Info.Mode().IsRegular() || !isTemporary(e.Info.Name()) || !e.Info.ModTime().Before(before) {
			return nil
		}
		if err := w.root.Remove(e.Path); err != nil {
			return wrapError("sweep", e.Path, ignoreMissing(err))
		}
		removed++
		return nil
	})
	return removed, err
}
