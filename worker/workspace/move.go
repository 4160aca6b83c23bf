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

// trash is the folder in the folder that holds what was deleted: <slot>/<the path it had>.
const trash = ".trash"

// slotTime is how a slot of the trash is named, before -1, -2 and so on for several in one second.
const slotTime = "20060102T150405Z"

func inTrash(name string) bool { return name == trash || strings.HasPrefix(name, trash+"/") }

// original is the path that something in the trash had before; other paths are themselves.
func original(name string) string {
	if !inTrash(name) {
		return name
	}
	_, rest, _ := strings.Cut(strings.TrimPrefix(name[len(trash):], "/"), "/")
	return path.Clean(rest)
}

// Move renames a file, a folder or a link, and makes the folders on the way. When to is a folder, or ends in a
// slash, it moves into it and keeps its name. It returns where it went. Nothing is ever replaced: what is in the
// way is fs.ErrExist. It ends early, with nothing done, when ctx ends.
func (w *Workspace) Move(ctx context.Context, from, to string) (string, error) {
	src, err := w.find(from, keepLink)
	if err != nil {
		return "", fault("move", from, err)
	}
	if src.name == "." || src.name == trash {
		return "", fault("move", from, ErrWhole)
	}
	dst, err := w.landing(to, src)
	if err != nil {
		return "", fault("move to", to, err)
	}
	if err := w.mayLeave(ctx, src, dst); err != nil {
		return "", fault("move", from, err)
	}
	if err := shift(w.root, src.name, dst, newFolder); err != nil {
		return "", fault("move "+Show(from)+" to", to, err)
	}
	return dst, nil
}

// landing is the path that src gets when it is moved to a path. Whether something is there already, the rename finds
// out.
func (w *Workspace) landing(to string, src place) (string, error) {
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
	return dst.name, mayAppear(dst.name, hidden)
}

// Trash moves a file, a folder or a link to the trash, into a slot of its own named by the time, and returns where
// it is now. It ends early, with nothing done, when ctx ends.
func (w *Workspace) Trash(ctx context.Context, name string, at time.Time) (string, error) {
	src, err := w.find(name, keepLink)
	switch {
	case err != nil:
	case src.name == ".":
		err = ErrWhole
	case inTrash(src.name):
		err = ErrTrash
	default:
		err = w.mayLeave(ctx, src, "")
	}
	if err != nil {
		return "", fault("delete", name, err)
	}
	own, err := slot(w.root, at)
	if err != nil {
		return "", fault("delete", name, err)
	}
	dst := path.Join(own, src.name)
	if err := shift(w.root, src.name, dst, trashFolder); err != nil {
		return "", fault("delete", name, errors.Join(err, prune(w.root, path.Dir(dst))))
	}
	return dst, nil
}

const trashFolder fs.FileMode = 0o700

const maxSlots = 10_000 // deletions in one second

// slot makes a new folder in the trash.
func slot(root *os.Root, at time.Time) (string, error) {
	folder, err := folder(root, trash, trashFolder)
	if err != nil {
		return "", err
	}
	defer folder.Close()
	for n := 1; n <= maxSlots; n++ {
		name := fmt.Sprintf("%s-%d", at.UTC().Format(slotTime), n)
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

// prune removes the empty folders of a slot that was not used.
func prune(root *os.Root, name string) error {
	for ; name != trash; name = path.Dir(name) {
		if err := ignoreMissing(root.Remove(name)); err != nil {
			return err
		}
	}
	return nil
}

// shift renames from one place to another where nothing is, on the disk when it returns.
func shift(root *os.Root, from, to string, mode fs.FileMode) error {
	source, err := root.OpenRoot(path.Dir(from))
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := folder(root, path.Dir(to), mode)
	if err != nil {
		return err
	}
	defer target.Close()
	if err := rename(source, path.Base(from), target, path.Base(to), true); err != nil {
		return err
	}
	return errors.Join(syncFolder(target), syncFolder(source))
}

// mayLeave reports why the rules keep p where it is: it is protected itself, or holds what is, or would come under
// other rules at its new place. No new place is "".
func (w *Workspace) mayLeave(ctx context.Context, p place, to string) error {
	switch {
	case w.rules.none():
		return nil
	case w.rules.kept(p.asked) || w.rules.kept(p.name):
		return ErrAppendOnly
	case !p.info.IsDir():
		return nil
	}
	return walk(ctx, w.root, p.name, everything, func(e Entry) error {
		folder := e.Info.IsDir()
		hidden := w.rules.hidden(e.Path, folder) || to != "" && w.rules.hidden(to+strings.TrimPrefix(e.Path, p.name), folder)
		if e.Err != nil || hidden || w.rules.kept(e.Path) {
			return errors.Join(ErrHolds, e.Err)
		}
		return nil
	})
}

// openFolder opens a folder for reading its names and for renaming in it.
func openFolder(root *os.Root) (*os.File, error) { return root.Open(".") }

// vacant reports fs.ErrExist where something stands.
func vacant(root *os.Root, name string) error {
	_, err := root.Lstat(name)
	if err == nil {
		return fs.ErrExist
	}
	return ignoreMissing(err)
}
