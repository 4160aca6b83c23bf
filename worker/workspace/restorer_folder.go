package workspace

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// Folder makes a folder unless there is one, and opens it for its owner. Its own folder must exist.
func (r *Restorer) Folder(name string, mode fs.FileMode) error {
	return wrapError("put back", name, r.makeFolder(name, mode))
}

func (r *Restorer) makeFolder(name string, mode fs.FileMode) error {
	folder, err := r.openToChange(path.Dir(name))
	if err != nil {
		return err
	}
	base := path.Base(name)
	err = r.ws.change(func() error { return folder.Mkdir(base, mode.Perm()|ownerAll) }, name)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := folder.Lstat(base)
	if err != nil || !info.IsDir() {
		return errors.Join(syscall.ENOTDIR, err)
	}
	return r.openForOwner(folder, base, name, info.Mode())
}

// ownerAll lets the owner fill a folder. Mode later sets the folder's own mode.
const ownerAll fs.FileMode = 0o700

// openForOwner lets the owner of a folder change it, until Mode or Close. The folder has the name
// base in its parent, and the path name.
func (r *Restorer) openForOwner(parent *os.Root, base, name string, mode fs.FileMode) error {
	if mode&ownerAll == ownerAll {
		return nil
	}
	err := r.ws.change(func() error { return parent.Chmod(base, mode.Perm()|ownerAll) }) // records no path
	if _, known := r.opened[name]; err == nil && !known {
		r.opened[name] = mode.Perm()
	}
	return err
}

// openToChange opens a folder as open does, and opens it for its owner. Folders of others stay as
// they are.
func (r *Restorer) openToChange(name string) (*os.Root, error) {
	if r.folder != nil && r.at == name && r.writable {
		return r.folder, nil
	}
	folder, err := r.open(name)
	if err != nil {
		return nil, err
	}
	info, err := folder.Stat(".")
	if err == nil {
		err = r.openForOwner(folder, ".", name, info.Mode())
	}
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return nil, err
	}
	r.writable = true
	return folder, nil
}

// closeOpened gives the folders that were opened for their owners their permissions again.
func (r *Restorer) closeOpened() (err error) {
	names := slices.Sorted(maps.Keys(r.opened))
	for _, name := range slices.Backward(names) { // the deepest first
		folder, lost := r.open(name)
		if lost == nil {
			lost = r.ws.change(func() error { return folder.Chmod(".", r.opened[name]) })
		}
		if !errors.Is(lost, fs.ErrNotExist) && !errors.Is(lost, fs.ErrPermission) { // Mode closed a folder above
			err = errors.Join(err, wrapError("put back", name, lost))
		}
	}
	clear(r.opened)
	return err
}

// Mode sets the permissions of a file or folder.
func (r *Restorer) Mode(name string, mode fs.FileMode) error {
	base := path.Base(name)
	folder, err := r.open(path.Dir(name))
	if err == nil {
		var info fs.FileInfo
		if info, err = folder.Lstat(base); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = ErrIsLink
		}
	}
	if err == nil {
		err = r.ws.change(func() error { return folder.Chmod(base, mode.Perm()) }, name)
	}
	if err == nil {
		delete(r.opened, name)
		r.writable = r.writable && r.at != name
	}
	return wrapError("put back", name, err)
}

// open opens a folder, one folder of its path after the other. None of them may be a link. It keeps
// the last folder open.
func (r *Restorer) open(name string) (*os.Root, error) {
	if r.folder != nil && r.at == name {
		return r.folder, nil
	}
	r.leave()
	at, err := r.ws.root.OpenRoot(".")
	if name != "." {
		for part := range strings.SplitSeq(name, "/") {
			if err != nil {
				return nil, err
			}
			at, err = openStep(at, part)
		}
	}
	if err != nil {
		return nil, err
	}
	r.folder, r.at, r.used = at, name, true
	return at, nil
}

// openStep opens a folder in a folder, which it closes.
func openStep(at *os.Root, name string) (*os.Root, error) {
	defer at.Close()
	info, err := at.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, ErrIsLink
	case !info.IsDir():
		return nil, syscall.ENOTDIR
	}
	below, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := below.Stat(".")
	if err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(ErrIsLink, err, below.Close())
	}
	return below, nil
}

func (r *Restorer) leave() {
	if r.folder != nil {
		_ = r.folder.Close() // it was only used to reach files
		r.folder, r.at, r.writable = nil, "", false
	}
}
