package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

const (
	maxPath  = 4096 // bytes of a whole path: Linux's PATH_MAX
	maxName  = 255  // bytes of one name in a path: NAME_MAX of the usual file systems
	maxLinks = 40   // symbolic links along one path: the limit of Linux
)

// CleanPath returns the canonical form of a path, without reading the disk. The form is relative,
// without ".", ".." and doubled slashes. "." is the folder itself.
func (w *Workspace) CleanPath(raw string) (string, error) {
	name, err := clean(w.dir, raw)
	return name, wrapError("use the path", raw, err)
}

func clean(dir, raw string) (string, error) {
	switch {
	case raw == "":
		return "", ErrEmptyPath
	case strings.ContainsRune(raw, 0):
		return "", ErrPathHasNUL
	case len(raw) > maxPath:
		return "", syscall.ENAMETOOLONG
	}
	name := path.Clean(strings.TrimLeft(relative(dir, raw), "/"))
	switch first, _, _ := strings.Cut(name, "/"); first {
	case "..":
		return "", ErrPathOutside
	case "~":
		return "", ErrTildePath // a clean path must mean the same if it is cleaned again
	}
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > maxName {
			return "", syscall.ENAMETOOLONG
		}
	}
	return name, nil
}

// relative removes the folder's own path, or "~", from the front of a path.
func relative(dir, raw string) string {
	for _, front := range []string{dir, "~"} {
		rest, ok := strings.CutPrefix(raw, front)
		if ok && front != "" && (rest == "" || rest[0] == '/') {
			return rest
		}
	}
	return raw
}

func isOutside(name string) bool { return name == ".." || strings.HasPrefix(name, "../") }

// links tells how to treat a symbolic link at the end of a path. Links before it are always
// followed.
type links string

const (
	followLinks links = "follow"
	keepLink    links = "keep" // a path to a link means the link itself
)

// resolve follows the symbolic links of a clean path, so that the rules apply to the file that
// would really be used. The result has no link in it, unless another process makes a link
// meanwhile. Even that link cannot leave the folder, because os.Root prevents it. Names that do not
// exist stay unchanged.
func resolve(root *os.Root, name string, last links) (string, error) {
	done, todo := ".", strings.Split(name, "/")
	for hops := 0; len(todo) > 0; {
		next := path.Join(done, todo[0])
		if todo = todo[1:]; isOutside(next) {
			return "", ErrPathOutside
		}
		target, err := linkAt(root, next)
		switch {
		case len(todo) == 0 && last == keepLink, err == nil && target == "":
			done = next
			continue
		case errors.Is(err, fs.ErrNotExist):
			return checkInside(path.Join(next, path.Join(todo...)))
		case err != nil:
			return "", err
		case path.IsAbs(target):
			return "", ErrPathOutside
		}
		if hops++; hops > maxLinks {
			return "", syscall.ELOOP
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return done, nil
}

// linkAt returns the target of the symbolic link at name; "" if there is no link.
func linkAt(root *os.Root, name string) (string, error) {
	target, err := root.Readlink(name)
	if errors.Is(err, syscall.EINVAL) {
		return "", nil
	}
	return target, err
}

func checkInside(name string) (string, error) {
	if isOutside(name) {
		return "", ErrPathOutside
	}
	return name, nil
}

// location is the resolved form of a path.
type location struct {
	asked  string      // clean form of the caller's path
	name   string      // path of the file after all links are followed
	info   fs.FileInfo // file at the path; nil if there is none
	hidden bool        // whether the rules hide the file
}

// locate resolves a path, even if there is no file.
func (w *Workspace) locate(raw string, last links) (location, error) {
	asked, err := clean(w.dir, raw)
	if err != nil {
		return location{}, err
	}
	name, err := resolve(w.root, asked, last)
	if err != nil {
		return location{}, err
	}
	info, err := w.root.Lstat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return location{}, err
	}
	folder := info != nil && info.IsDir()
	hidden := w.rules.hidden(asked, folder) || w.rules.hidden(name, folder)
	return location{asked: asked, name: name, info: info, hidden: hidden}, nil
}

// findVisible locates a file that must exist and be visible.
func (w *Workspace) findVisible(raw string, last links) (location, error) {
	p, err := w.locate(raw, last)
	if err == nil && (p.info == nil || p.hidden) {
		err = fs.ErrNotExist
	}
	return p, err
}

// locateTarget locates a file that will be made or changed.
func (w *Workspace) locateTarget(raw string) (location, error) {
	p, err := w.locate(raw, followLinks)
	switch {
	case err != nil:
		return location{}, err
	case p.name == "." || strings.HasSuffix(raw, "/"):
		return location{}, syscall.EISDIR
	case p.info != nil:
		if err := checkRegular(p.info); err != nil {
			return location{}, err
		}
	}
	return p, checkCreatable(p.name, p.hidden)
}

// checkCreatable returns an error if no file may be made at name.
func checkCreatable(name string, hidden bool) error {
	switch {
	case hidden:
		return ErrForbiddenByRules
	case inTrash(name):
		return ErrInTrash
	case isTemporary(path.Base(name)):
		return ErrReservedName
	}
	return nil
}

// checkRegular refuses everything except regular files: opening a FIFO would wait for its other
// end, and opening a device may have an effect.
func checkRegular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return syscall.EISDIR
	case !info.Mode().IsRegular():
		return ErrSpecialFile
	}
	return nil
}

// openRegular opens name and checks the open file, because it may have been replaced since the last
// check.
func openRegular(root *os.Root, name string, flag int) (*os.File, error) {
	f, err := root.OpenFile(name, flag|syscall.O_NONBLOCK, newFile)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = checkRegular(info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
