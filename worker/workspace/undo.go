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

// BackupFunc stores at most that many bytes of a file before a change.
type BackupFunc func(ctx context.Context, r io.Reader, most int64) (protocol.BlobRef, error)

// Reasons why a change cannot be undone.
const (
	notTooLarge = "it had more than 16 MiB before"
	notNow      = "it has more than 16 MiB now"
	notName     = "its path is too long or not in UTF-8"
	notKept     = "its bytes from before could not be kept: "
	notRead     = "it could not be read: "
)

// RecordBeforeWrite records the state of path before a write, and keeps the old bytes. content is
// the new content; nil means that it is not known. RecordBeforeWrite returns nil if the file
// already has this content, if keep is nil, or if the write will be refused. RecordAfterWrite
// completes the record.
func (w *Workspace) RecordBeforeWrite(ctx context.Context, keep BackupFunc, path string,
	content []byte) *protocol.Undo {
	p, err := w.locateTarget(path)
	if keep == nil || err != nil {
		return nil
	}
	u := &protocol.Undo{Path: p.name}
	if u.Before, u.Obstacle = w.stateOrReason(p.name); u.Before.IsHash() && content != nil {
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) == string(u.Before) {
			return nil
		}
	}
	if p.info != nil && u.Obstacle == "" {
		u.Mode, u.Obstacle = int(p.info.Mode().Perm()), w.keep(ctx, keep, u)
	}
	return u
}

// RecordBeforeMove records the state of path before it is moved. If gone is set, the file goes to
// the trash, and its bytes are stored. For other moves the caller sets To. RecordBeforeMove returns
// nil if keep is nil or the path does not exist.
func (w *Workspace) RecordBeforeMove(ctx context.Context, keep BackupFunc, path string, gone bool) *protocol.Undo {
	p, err := w.findVisible(path, keepLink)
	if keep == nil || err != nil {
		return nil
	}
	u := &protocol.Undo{Path: p.name, Mode: int(p.info.Mode().Perm())}
	if u.Before, u.Obstacle = w.stateOrReason(p.name); gone && u.Before.IsHash() {
		u.Obstacle = w.keep(ctx, keep, u)
	} else if !u.Before.IsHash() && u.Obstacle == notTooLarge {
		u.Obstacle = "" // an undo of the move needs no stored bytes
	}
	return u
}

// RecordAfterMove completes the record of RecordBeforeMove.
func RecordAfterMove(u *protocol.Undo, to string, gone bool) *protocol.Undo {
	switch {
	case u == nil, gone && u.Obstacle == "" && u.Before.IsHash():
		return u
	case !isSendablePath(to):
		u.Obstacle = notName
	default:
		u.To, u.Obstacle = to, ""
	}
	return u
}

// RecordAfterWrite completes the record of RecordBeforeWrite with the state after the write.
func (w *Workspace) RecordAfterWrite(u *protocol.Undo) *protocol.Undo {
	if u == nil || u.Obstacle != "" {
		return u
	}
	var err error
	if u.After, _, err = w.PathState(u.Path); err != nil {
		u.Obstacle = cut(notRead + reason(err))
	} else if !u.After.IsHash() {
		u.Obstacle = notNow
	}
	return u
}

// RecordProgramChange records a program's change of a clean path; nil if after is not known.
func RecordProgramChange(name string, after protocol.FileState) *protocol.Undo {
	if !isSendablePath(name) {
		return nil
	}
	return &protocol.Undo{Path: name, After: after, Obstacle: protocol.ObstacleProgramChange}
}

// stateOrReason returns the state of a path. If a change of the path cannot be undone, it returns
// the reason.
func (w *Workspace) stateOrReason(name string) (protocol.FileState, string) {
	state, _, err := w.PathState(name)
	switch {
	case !isSendablePath(name):
		return "", notName
	case err != nil:
		return "", cut(notRead + reason(err))
	case strings.HasPrefix(string(state), string(protocol.FileStateLargePrefix)):
		return state, notTooLarge
	}
	return state, ""
}

// keep stores the bytes of a file. If that fails, it returns the reason.
func (w *Workspace) keep(ctx context.Context, keep BackupFunc, u *protocol.Undo) string {
	f, err := w.openPlain(u.Path)
	if err != nil {
		return cut(notRead + reason(err))
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	ref, err := keep(ctx, f, protocol.MaxUndoFileBytes)
	if err != nil {
		said := new(protocol.Error)
		_ = errors.As(err, &said) // only a *protocol.Error has a message for the user
		return cut(notKept + cmp.Or(said.Message, err.Error()))
	}
	u.Before, u.Size = protocol.FileState(ref.SHA256), ref.Size
	return ""
}

// isSendablePath reports whether a path is valid in messages to the supervisor.
func isSendablePath(name string) bool {
	return len(name) <= protocol.MaxReceivedPathBytes && fs.ValidPath(name)
}

func cut(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), protocol.MaxUndoReasonBytes)], "")
}

// PathState returns the state of a clean path. It follows no link: a path through a link counts as
// a link.
func (w *Workspace) PathState(name string) (protocol.FileState, fs.FileInfo, error) {
	err := checkFolders(w.root, path.Dir(name))
	if errors.Is(err, ErrIsLink) {
		return protocol.FileStateLink, nil, nil
	}
	info, err := w.root.Lstat(name)
	switch {
	case ignoreMissing(err) != nil && checkFolders(w.root, path.Dir(name)) == nil:
		return "", nil, err
	case err != nil:
		return protocol.FileStateAbsent, nil, nil // the path does not exist, or a part of it is a file
	case info.IsDir():
		return protocol.FileStateFolder, info, nil
	case info.Mode()&fs.ModeSymlink != 0:
		return protocol.FileStateLink, info, nil
	case !info.Mode().IsRegular():
		return "", info, ErrSpecialFile
	case info.Size() > protocol.MaxUndoFileBytes:
		return protocol.LargeFileState(info.Size(), info.ModTime()), info, nil
	}
	f, err := w.openPlain(name)
	if err != nil {
		return "", nil, err
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
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
		return nil, errors.Join(ErrIsLink, err, f.Close())
	}
	return f, nil
}

// OpenRegularFile opens a regular file at a clean path for reading. It follows no link. The caller
// closes the file.
func (w *Workspace) OpenRegularFile(name string) (*os.File, error) {
	f, err := w.openPlain(name)
	return f, wrapError("read", name, err)
}

// RestoreFile makes the file at a clean path hold exactly the size bytes of r. It replaces anything
// except a folder, and follows no link. The file is on the disk when RestoreFile returns.
func (w *Workspace) RestoreFile(name string, r io.Reader, size int64, mode fs.FileMode) error {
	d, err := w.NewDraft(path.Dir(name), size)
	if err != nil {
		return err
	}
	defer d.Close() // removes a file that was not kept
	n, err := io.Copy(d, r)
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		err = errors.Join(d.file.Chmod(mode.Perm()), d.file.Sync())
	}
	if err == nil {
		err = w.change(func() error { return rename(d.folder, d.temporary, d.folder, path.Base(name), false) }, name)
	}
	if err == nil {
		d.temporary = ""
		w.quota.RecordGrowth(diskSize(size))
		err = syncFolder(d.folder)
	}
	return wrapError("put back", name, err)
}

// RemoveFile removes the file at a clean path for good. It follows no link.
func (w *Workspace) RemoveFile(name string) error {
	err := checkFolders(w.root, path.Dir(name))
	if err == nil {
		err = w.removeReceived(name)
	}
	if err == nil {
		err = syncParent(w.root, name)
	}
	return wrapError("remove", name, ignoreMissing(err))
}

// RestorePath moves a file or folder from a clean path to a clean path that is free. It follows no
// link.
func (w *Workspace) RestorePath(from, to string) error {
	err := errors.Join(checkFolders(w.root, path.Dir(from)), checkFolders(w.root, path.Dir(to)))
	if err == nil {
		err = w.change(func() error { return moveDurably(w.root, from, to, newFolder) }, from, to)
	}
	return wrapError("move back", from, err)
}

// maxBelow bounds the entries that FilesBelow reads.
const maxBelow = 1000

var errManyBelow = errors.New("too many files")

// FilesBelow lists all files below a folder, by their paths below the folder: /a, /b/c. name is a
// clean path. ok is false if there are too many files, or the folder cannot be read.
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

// RemoveEmptyFolders removes a folder and all folders in it if they contain no files. name is a
// clean path. A missing folder is no error. It follows no link.
func (w *Workspace) RemoveEmptyFolders(ctx context.Context, name string) error {
	if state, _, err := w.PathState(name); err != nil || state != protocol.FileStateFolder {
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
	w.recordPaths([]string{name})
	return wrapError("make room at", name, err)
}
