package workspace

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

const (
	newFile   fs.FileMode = 0o644 // mode of a new file, before the process's umask
	newFolder fs.FileMode = 0o755
	anyWrite  fs.FileMode = 0o222
)

// WriteMode tells WriteFile which files it may replace.
type WriteMode string

const (
	ModeReplace WriteMode = "replace" // WriteFile may replace an existing file
	ModeCreate  WriteMode = "create"  // WriteFile fails if the file exists with other content
)

// WriteFile makes the file at path hold exactly data, and makes missing folders. At any moment path
// holds either the whole old content or the whole new content. When WriteFile returns without an
// error, the new content is on the disk. An existing file keeps its permissions. created means that
// there was no file before.
func (w *Workspace) WriteFile(path string, data []byte, mode WriteMode) (created bool, err error) {
	p, err := w.locateTarget(path)
	if err == nil && p.info != nil && mode == ModeCreate {
		same, err := hasContent(w.root, p, data)
		if err == nil && !same {
			err = cmp.Or(w.rules.checkReplaceable(p), fs.ErrExist)
		}
		return false, wrapError("write", path, err)
	}
	if err == nil {
		err = w.rules.checkReplaceable(p)
	}
	if err == nil {
		err = w.withinQuota(growth(p.info, int64(len(data))), func() error {
			return w.change(func() error { return replaceFile(w.root, p, data, mode, nil) }, p.name)
		})
	}
	return err == nil && p.info == nil, wrapError("write", path, err)
}

// ReplaceUnchanged writes a file as WriteFile does, if the file still has the content old. A nil
// old means that no file may exist. If the file has changed, the error is ErrChanged. Another
// program that saves between the last look and the rename, within microseconds, is overwritten.
func (w *Workspace) ReplaceUnchanged(path string, old, data []byte) error {
	p, err := w.locateTarget(path)
	if err == nil && (p.info == nil) != (old == nil) {
		err = ErrChanged
	}
	if err == nil {
		err = w.rules.checkReplaceable(p)
	}
	mode, check := ModeCreate, func() error { return nil }
	if old != nil {
		mode, check = ModeReplace, func() error { return checkContent(w.root, p.name, old) }
	}
	if err == nil {
		err = w.withinQuota(growth(p.info, int64(len(data))), func() error {
			return w.change(func() error { return replaceFile(w.root, p, data, mode, check) }, p.name)
		})
	}
	if old == nil && errors.Is(err, fs.ErrExist) {
		err = ErrChanged
	}
	return wrapError("write", path, err)
}

// checkContent returns ErrChanged unless a file has exactly this content.
func checkContent(root *os.Root, name string, content []byte) error {
	f, err := openRegular(root, name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrChanged
	}
	if err != nil {
		return err
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	now, err := io.ReadAll(io.LimitReader(f, int64(len(content))+1))
	if err == nil && !bytes.Equal(now, content) {
		err = ErrChanged
	}
	return err
}

// hasContent reports whether the file at p has exactly this content.
func hasContent(root *os.Root, p location, data []byte) (bool, error) {
	if p.info.Size() != int64(len(data)) {
		return false, nil
	}
	f, err := openRegular(root, p.name, os.O_RDONLY)
	if err != nil {
		return false, err
	}
	defer f.Close()
	old, err := io.ReadAll(io.LimitReader(f, int64(len(data))+1))
	return bytes.Equal(old, data), err
}

// checkReplaceable returns an error if a file must stay as it is.
func (r rules) checkReplaceable(p location) error {
	switch {
	case p.info == nil:
		return nil
	case r.isAppendOnly(p.asked) || r.isAppendOnly(p.name):
		return ErrAppendOnly
	case p.info.Mode()&anyWrite == 0:
		return ErrReadOnly // a rename needs only the folder's permissions, and would ignore those of the file
	}
	return nil
}

// replaceFile writes a new file beside the file p, and then renames it over p. It calls check just
// before the rename, and an error of check keeps the file; nil checks nothing.
func replaceFile(root *os.Root, p location, data []byte, mode WriteMode, check func() error) error {
	folder, err := openOrMake(root, path.Dir(p.name), newFolder)
	if err != nil {
		return err
	}
	defer folder.Close()
	temporary := TemporaryPrefix + rand.Text() + TemporarySuffix
	err = writeTemporary(folder, temporary, data, p.info)
	if err == nil && check != nil {
		err = check()
	}
	if err == nil {
		err = rename(folder, temporary, folder, path.Base(p.name), mode == ModeCreate)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(folder.Remove(temporary)))
	}
	return syncFolder(folder)
}

// writeTemporary makes a new file with old's permissions and syncs it to the disk.
func writeTemporary(folder *os.Root, name string, data []byte, old fs.FileInfo) error {
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFile)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && old != nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// openOrMake opens the folder name, and makes it and the folders on the way if they are missing.
// The caller closes it.
func openOrMake(root *os.Root, name string, mode fs.FileMode) (*os.Root, error) {
	var missing []string
	for at := name; at != "."; at = path.Dir(at) {
		info, err := root.Stat(at)
		if err == nil && !info.IsDir() {
			return nil, syscall.ENOTDIR
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		missing = append(missing, at)
	}
	if len(missing) > 0 {
		if err := root.MkdirAll(name, mode); err != nil {
			return nil, err
		}
	}
	for _, made := range missing {
		if err := syncParent(root, made); err != nil {
			return nil, err
		}
	}
	return root.OpenRoot(name)
}

func syncParent(root *os.Root, name string) error {
	parent, err := root.OpenRoot(path.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(parent), parent.Close())
}

// syncFolder syncs the names in a folder to the disk.
func syncFolder(folder *os.Root) error {
	f, err := folder.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Names of half-written files. A crash leaves such a file behind. No listing shows it, and
// RemoveHalfWrittenFiles removes it.
const (
	TemporaryPrefix = ".mews-"
	TemporarySuffix = ".tmp"
)

func isTemporary(base string) bool {
	return len(base) > len(TemporaryPrefix)+len(TemporarySuffix) &&
		strings.HasPrefix(base, TemporaryPrefix) && strings.HasSuffix(base, TemporarySuffix)
}
