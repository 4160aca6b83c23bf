package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"mews/protocol"
)

// Keep stores the bytes of a file from before it is changed, at most so many.
type Keep func(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)

// Why a change can't be undone.
const (
	notTooLarge = "it had more than 16 MiB before"
	notNow      = "it has more than 16 MiB now"
	notName     = "its path is too long or not in UTF-8"
	notKept     = "its bytes from before could not be kept: "
	notRead     = "it could not be read: "
)

// Before notes what is at path before a file there is written, and keeps its bytes. content is what
// will be there, nil where that is not known: where it is there already nothing is kept, and Before
// returns nil, as it does where keep is nil or the write will be refused. After completes it.
func (w *Workspace) Before(ctx context.Context, keep Keep, path string, content []byte) *protocol.Undo {
	p, err := w.target(path)
	if keep == nil || err != nil {
		return nil
	}
	u := &protocol.Undo{Path: p.name}
	if u.Before, u.Not = w.note(p.name); u.Before.Hashed() && content != nil {
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) == string(u.Before) {
			return nil
		}
	}
	if p.info != nil && u.Not == "" {
		u.Mode, u.Not = int(p.info.Mode().Perm()), w.keep(ctx, keep, u)
	}
	return u
}

// BeforeMove notes what is at path before it is moved, and keeps the bytes of a file that goes to
// the trash where gone is true; the caller sets To where it has none. It returns nil where keep is
// nil or there is nothing.
func (w *Workspace) BeforeMove(ctx context.Context, keep Keep, path string, gone bool) *protocol.Undo {
	p, err := w.find(path, keepLink)
	if keep == nil || err != nil {
		return nil
	}
	u := &protocol.Undo{Path: p.name, Mode: int(p.info.Mode().Perm())}
	if u.Before, u.Not = w.note(p.name); gone && u.Before.Hashed() {
		u.Not = w.keep(ctx, keep, u)
	} else if !u.Before.Hashed() && u.Not == notTooLarge {
		u.Not = "" // no byte of it is needed
	}
	return u
}

// MovedTo completes what BeforeMove has noted.
func MovedTo(u *protocol.Undo, to string, gone bool) *protocol.Undo {
	switch {
	case u == nil, gone && u.Not == "" && u.Before.Hashed():
		return u
	case !fits(to):
		u.Not = notName
	default:
		u.To, u.Not = to, ""
	}
	return u
}

// After completes what Before has noted.
func (w *Workspace) After(u *protocol.Undo) *protocol.Undo {
	if u == nil || u.Not != "" {
		return u
	}
	var err error
	if u.After, _, err = w.State(u.Path); err != nil {
		u.Not = cut(notRead + reason(err))
	} else if !u.After.Hashed() {
		u.Not = notNow
	}
	return u
}

// ByProgram notes what a program has left at a clean path; nil where that can't be told.
func ByProgram(name string, after protocol.FileState) *protocol.Undo {
	if !fits(name) {
		return nil
	}
	return &protocol.Undo{Path: name, After: after, Not: protocol.ByProgram}
}

// note is the state of what is at a name, or why a change of it can't be undone.
func (w *Workspace) note(name string) (protocol.FileState, string) {
	state, _, err := w.State(name)
	switch {
	case !fits(name):
		return "", notName
	case err != nil:
		return "", cut(notRead + reason(err))
	case strings.HasPrefix(string(state), string(protocol.FileLarge)):
		return state, notTooLarge
	}
	return state, ""
}

// keep keeps the bytes of a file; it returns why it could not.
func (w *Workspace) keep(ctx context.Context, keep Keep, u *protocol.Undo) string {
	f, err := w.openPlain(u.Path)
	if err != nil {
		return cut(notRead + reason(err))
	}
	defer f.Close() // it was only read
	ref, err := keep(ctx, f, protocol.MaxBefore)
	if err != nil {
		said := new(protocol.Error)
		_ = errors.As(err, &said) // else it has no message of its own
		return cut(notKept + cmp.Or(said.Message, err.Error()))
	}
	u.Before, u.Size = protocol.FileState(ref.SHA256), ref.Size
	return ""
}

// fits says whether a path can be told to the supervisor.
func fits(name string) bool { return len(name) <= protocol.MaxReceivedPath && fs.ValidPath(name) }

func cut(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), protocol.MaxUndoText)], "")
}

// State says what is at a clean path. No link is followed: a path on whose way one is counts as
// one.
func (w *Workspace) State(name string) (protocol.FileState, fs.FileInfo, error) {
	err := checkFolders(w.root, path.Dir(name))
	if errors.Is(err, ErrLink) {
		return protocol.FileLink, nil, nil
	}
	info, err := w.root.Lstat(name)
	switch {
	case ignoreMissing(err) != nil && checkFolders(w.root, path.Dir(name)) == nil:
		return "", nil, err
	case err != nil:
		return protocol.FileAbsent, nil, nil // or a file is on its way
	case info.IsDir():
		return protocol.FileFolder, info, nil
	case info.Mode()&fs.ModeSymlink != 0:
		return protocol.FileLink, info, nil
	case !info.Mode().IsRegular():
		return "", info, ErrSpecial
	case info.Size() > protocol.MaxBefore:
		return protocol.SizedState(info.Size(), info.ModTime()), info, nil
	}
	f, err := w.openPlain(name)
	if err != nil {
		return "", nil, err
	}
	defer f.Close() // it was only read
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return protocol.FileState(hex.EncodeToString(sum.Sum(nil))), info, err
}

// openPlain opens a regular file at a clean path that has no link in it.
func (w *Workspace) openPlain(name string) (*os.File, error) {
	if err := checkFolders(w.root, path.Dir(name)); err != nil {
		return nil, err
	}
	info, err := w.root.Lstat(name)
	if err == nil {
		err = checkRegular(info)
	}
	if err != nil {
		return nil, err
	}
	f, err := openRegular(w.root, name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(ErrLink, err, f.Close())
	}
	return f, nil
}

// OpenPlain opens a regular file at a clean path for reading. No link is followed. The caller
// closes the file.
func (w *Workspace) OpenPlain(name string) (*os.File, error) {
	f, err := w.openPlain(name)
	return f, wrapError("read", name, err)
}

// PutBack makes the file at a clean path hold just what r does, size bytes. Whatever was there is
// replaced, but for a folder; no link is followed. It is on the disk when PutBack returns.
func (w *Workspace) PutBack(name string, r io.Reader, size int64, mode fs.FileMode) error {
	d, err := w.Draft(path.Dir(name), size)
	if err != nil {
		return err
	}
	defer d.Close() // what was not kept is removed
	n, err := io.Copy(d, r)
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		err = errors.Join(d.file.Chmod(mode.Perm()), d.file.Sync())
	}
	if err == nil {
		err = rename(d.folder, d.temporary, d.folder, path.Base(name), false)
	}
	if err == nil {
		d.temporary = ""
		w.quota.Grew(diskSize(size))
		err = syncFolder(d.folder)
	}
	return wrapError("put back", name, err)
}

// Remove removes the file at a clean path for good. No link is followed.
func (w *Workspace) Remove(name string) error {
	err := checkFolders(w.root, path.Dir(name))
	if err == nil {
		err = w.removeReceived(name)
	}
	if err == nil {
		err = syncParent(w.root, name)
	}
	return wrapError("remove", name, ignoreMissing(err))
}

// MoveBack moves what is at a clean path to another where nothing is. No link is followed.
func (w *Workspace) MoveBack(from, to string) error {
	err := errors.Join(checkFolders(w.root, path.Dir(from)), checkFolders(w.root, path.Dir(to)))
	if err == nil {
		err = moveDurably(w.root, from, to, newFolder)
	}
	return wrapError("move back", from, err)
}

// maxBelow is how many entries FilesBelow looks at.
const maxBelow = 1000

var errManyBelow = errors.New("too many files")

// FilesBelow lists what is in the folder at a clean path and is no folder, by their paths from it
// on: /a, /b/c. It is not ok where it holds too much, or can't be read.
func (w *Workspace) FilesBelow(ctx context.Context, name string) (paths []string, ok bool) {
	n := 0
	err := walk(ctx, w.root, name, allEntries, func(e Entry) error {
		if n++; n > maxBelow || e.Err != nil {
			return errManyBelow
		}
		if !e.Info.IsDir() {
			paths = append(paths, strings.TrimPrefix(e.Path, name))
		}
		return nil
	})
	return paths, err == nil
}

// RemoveFolders removes the folder at a clean path with all the folders in it, where nothing else
// is in them; where there is none it does nothing. No link is followed.
func (w *Workspace) RemoveFolders(ctx context.Context, name string) error {
	if state, _, err := w.State(name); err != nil || state != protocol.FileFolder {
		return err
	}
	folders := []string{name}
	err := walk(ctx, w.root, name, allEntries, func(e Entry) error {
		if len(folders) > maxBelow || e.Err != nil || !e.Info.IsDir() {
			return fs.ErrExist
		}
		folders = append(folders, e.Path)
		return nil
	})
	for _, folder := range slices.Backward(folders) {
		if err == nil {
			err = w.root.Remove(folder)
		}
	}
	return wrapError("make room at", name, err)
}
