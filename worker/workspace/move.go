package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// trash is the folder in the workspace for deleted files, as <time>-<number>/<former path>.
const trash = ".trash"

// trashTimeLayout is the time in the name of a folder in the trash. The number distinguishes
// deletions in the same second.
const trashTimeLayout = "20060102T150405Z"

// IsInTrash reports whether a clean path is the trash, or in it.
func IsInTrash(name string) bool { return inTrash(name) }

func inTrash(name string) bool { return name == trash || strings.HasPrefix(name, trash+"/") }

// originalPath returns the former path of a file in the trash. Other paths stay as they are.
func originalPath(name string) string {
	if !inTrash(name) {
		return name
	}
	_, rest, _ := strings.Cut(strings.TrimPrefix(name[len(trash):], "/"), "/")
	return path.Clean(rest)
}

// MoveFile renames a file, a folder or a link, and makes the folders on the way. If to is a folder,
// or ends in a slash, the name stays the same. MoveFile returns the new path. If the new path is
// taken, the error is fs.ErrExist, because MoveFile never replaces a file. If ctx ends, MoveFile
// stops and has changed nothing.
func (w *Workspace) MoveFile(ctx context.Context, from, to string) (string, error) {
	src, err := w.findVisible(from, keepLink)
	if err != nil {
		return "", wrapError("move", from, err)
	}
	if src.name == "." || src.name == trash {
		return "", wrapError("move", from, ErrPathIsRoot)
	}
	dst, err := w.destination(to, src)
	if err != nil {
		return "", wrapError("move to", to, err)
	}
	if err := w.checkMovable(ctx, src, dst); err != nil {
		return "", wrapError("move", from, err)
	}
	move := func() error { return moveDurably(w.root, src.name, dst, newFolder) }
	if err := w.change(move, src.name, dst); err != nil {
		return "", wrapError("move "+QuotePath(from)+" to", to, err)
	}
	return dst, nil
}

// destination returns the path that src gets if it is moved to a path. The rename finds out whether
// that path is taken.
func (w *Workspace) destination(to string, src location) (string, error) {
	dst, err := w.locate(to, followLinks)
	if err != nil {
		return "", err
	}
	if dst.info != nil && dst.info.IsDir() || strings.HasSuffix(to, "/") {
		base := path.Base(src.name)
		dst.asked, dst.name = path.Join(dst.asked, base), path.Join(dst.name, base)
	}
	folder := src.info.IsDir()
	hidden := w.rules.hidden(dst.asked, folder) || w.rules.hidden(dst.name, folder)
	return dst.name, checkCreatable(dst.name, hidden)
}

// MoveToTrash moves a file, a folder or a link to the trash, and returns its new path. The time
// names the new folder in the trash. If ctx ends, MoveToTrash stops and has changed nothing.
func (w *Workspace) MoveToTrash(ctx context.Context, name string, at time.Time) (string, error) {
	src, err := w.findVisible(name, keepLink)
	switch {
	case err != nil:
	case src.name == ".":
		err = ErrPathIsRoot
	case inTrash(src.name):
		err = ErrInTrash
	default:
		err = w.checkMovable(ctx, src, "")
	}
	if err != nil {
		return "", wrapError("delete", name, err)
	}
	into, err := newTrashFolder(w.root, at)
	if err != nil {
		return "", wrapError("delete", name, err)
	}
	dst := path.Join(into, src.name)
	move := func() error { return moveDurably(w.root, src.name, dst, trashFolder) }
	if err := w.change(move, src.name, dst); err != nil {
		return "", wrapError("delete", name, errors.Join(err, removeEmpty(w.root, path.Dir(dst))))
	}
	return dst, nil
}

const trashFolder fs.FileMode = 0o700

const maxPerSecond = 10_000 // maximum number of deletions in one second

// newTrashFolder makes a new folder in the trash.
func newTrashFolder(root *os.Root, at time.Time) (string, error) {
	folder, err := openOrMake(root, trash, trashFolder)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	for n := 1; n <= maxPerSecond; n++ {
		name := fmt.Sprintf("%s-%d", at.UTC().Format(trashTimeLayout), n)
		err = folder.Mkdir(name, trashFolder)
		if err == nil {
			return path.Join(trash, name), syncFolder(folder)
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return "", err
}

// removeEmpty removes the empty folders from name up to the trash, after a move that failed.
func removeEmpty(root *os.Root, name string) error {
	for ; name != trash; name = path.Dir(name) {
		if err := ignoreMissing(root.Remove(name)); err != nil {
			return err
		}
	}
	return nil
}

// moveDurably renames to a free path. The change is on the disk when moveDurably returns.
func moveDurably(root *os.Root, from, to string, mode fs.FileMode) error {
	source, err := root.OpenRoot(path.Dir(from))
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := openOrMake(root, path.Dir(to), mode)
	if err != nil {
		return err
	}
	defer target.Close()
	if err := rename(source, path.Base(from), target, path.Base(to), true); err != nil {
		return err
	}
	return errors.Join(syncFolder(target), syncFolder(source))
}

// checkMovable returns an error if the rules forbid to move p. They forbid it if p is protected,
// holds a protected file, or would be under other rules at its new path. The new path is "" for the
// trash.
func (w *Workspace) checkMovable(ctx context.Context, p location, to string) error {
	switch {
	case w.rules.empty():
		return nil
	case w.rules.isAppendOnly(p.asked) || w.rules.isAppendOnly(p.name):
		return ErrAppendOnly
	case !p.info.IsDir():
		return nil
	}
	return walk(ctx, w.root, p.name, allEntries, func(e Entry) error {
		folder := e.Info.IsDir()
		hidden := w.rules.hidden(e.Path, folder) || to != "" && w.rules.hidden(to+strings.TrimPrefix(e.Path, p.name), folder)
		if e.Err != nil || hidden || w.rules.isAppendOnly(e.Path) {
			return errors.Join(ErrHoldsProtectedFiles, e.Err)
		}
		return nil
	})
}
