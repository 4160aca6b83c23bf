package filehistory

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mews/worker/workspace"
)

// errMoved means that somebody changed a path between the plan and its step.
var errMoved = errors.New("it has changed meanwhile")

// putter carries out steps.
type putter struct {
	ctx     context.Context
	store   *store
	home    *home
	to      *workspace.Restorer
	failed  map[string]error // why paths were left alone
	done    map[string]bool  // paths that have the wanted state
	made    []string         // folders that were missing
	written map[string]entry // files right after their steps
	touched map[fileID]bool  // files with a hard link that was changed or removed
	parent  string           // folder that is known to exist; "" means none
}

// run first removes paths, the deepest first. Then it makes folders, links and files from the top.
// At last it sets the modes of folders.
func (w *putter) run(steps []step) error {
	for i := range steps {
		st := &steps[i]
		st.replaces = st.now.kind != absent && st.to.kind != st.now.kind &&
			(st.now.kind == directory || st.to.kind == directory)
	}
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(b.path, a.path) })
	if err := w.each(steps, w.remove); err != nil {
		return err
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.path, b.path) })
	if err := w.each(steps, w.put); err != nil {
		return err
	}
	slices.Reverse(steps)
	return w.each(steps, w.setFolderMode)
}

// each calls do for the steps that have not failed. It returns errors that the next step would get
// too.
func (w *putter) each(steps []step, do func(st *step) error) error {
	for i := range steps {
		st := &steps[i]
		if w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		if w.failed[st.path] != nil || w.done[st.path] {
			continue
		}
		if err := do(st); err != nil {
			w.failed[st.path] = err
			if !isOfPath(err) {
				return err
			}
		}
	}
	return nil
}

// failRest marks the steps that run did not complete as failed.
func (w *putter) failRest(steps []step, why error) {
	for i := range steps {
		if path := steps[i].path; !w.done[path] && w.failed[path] == nil {
			w.failed[path] = cmp.Or(why, errStopped)
		}
	}
}

// remove removes what a step replaces or deletes.
func (w *putter) remove(st *step) error {
	if st.to.kind != absent && !st.replaces {
		return nil
	}
	if err := w.check(st.path, &st.now); err != nil {
		return err
	}
	if err := w.to.Remove(st.path); err != nil {
		return err
	}
	w.touched[st.now.fileID()] = true
	w.done[st.path] = st.to.kind == absent
	return nil
}

// check returns errMoved if a path is no longer as the plan expects. Folders may have other
// permissions. Steps may have changed the time of a file through another link.
func (w *putter) check(path string, expected *entry) error {
	now, err := w.home.stat(path)
	switch {
	case err != nil:
		return err
	case now.hasStamp(expected), now.kind == directory && expected.kind == directory,
		now.kind == file && expected.kind == file && w.touched[now.fileID()] && now.fileID() == expected.fileID():
		return nil
	}
	return errMoved
}

// put makes a path. Anything else in its place was removed.
func (w *putter) put(st *step) error {
	if err := w.makeParents(path.Dir(st.path)); err != nil {
		return err
	}
	now := st.now
	if st.replaces {
		now = entry{}
	}
	if st.to.kind == file && !hasBytesOf(&now, &st.to) {
		return w.file(st, &now)
	}
	if err := w.check(st.path, &now); err != nil {
		return err
	}
	switch st.to.kind {
	case directory:
		return w.to.Folder(st.path, st.to.perm())
	case link:
		return w.finish(st, w.to.Link(st.path, st.to.target))
	case file:
		return w.finishFile(st, &now, w.to.Mode(st.path, st.to.perm()))
	}
	return errors.New(reasons[isSpecial])
}

// hasBytesOf reports whether two files have the same bytes.
func hasBytesOf(a, b *entry) bool { return a.kind == file && a.digest == b.digest && a.size == b.size }

// finish notes that a step is done, unless there is an error.
func (w *putter) finish(st *step, err error) error {
	if err == nil {
		w.touched[st.now.fileID()] = true
		w.done[st.path] = true
	}
	return err
}

// file writes a file, and replaces what is there now.
func (w *putter) file(st *step, now *entry) error {
	chunks, size, err := w.store.chunksOf(st.to.digest)
	if err != nil {
		return err
	}
	return w.finishFile(st, &st.to, w.to.File(st.path, workspace.RestoredFile{
		Content: newBlobReader(st.to.digest, chunks, w.store.readChunk),
		Size:    size, Mode: st.to.perm(), Modified: time.Unix(0, st.to.modify), Sparse: st.to.sparse,
		Check: func() error { return w.check(st.path, now) }}))
}

// finishFile does the work of finish for a file, which now has the size and time of e. It notes the
// file's stamp, so that a later change by others shows.
func (w *putter) finishFile(st *step, e *entry, err error) error {
	if now, lost := w.home.stat(st.path); err == nil && lost == nil && now.size == e.size && now.modify == e.modify {
		w.written[st.path] = now
	}
	return w.finish(st, err)
}

func (w *putter) setFolderMode(st *step) error {
	if st.to.kind != directory {
		return nil
	}
	return w.finish(st, w.to.Mode(st.path, st.to.perm()))
}

// makeParents makes the folders above a path that are missing.
func (w *putter) makeParents(name string) error {
	if name == "." || name == w.parent {
		return nil
	}
	_, err := w.to.Stat(name)
	if err == nil {
		w.parent = name
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := w.makeParents(path.Dir(name)); err != nil {
		return err
	}
	w.made = append(w.made, name)
	return w.to.Folder(name, 0o755)
}

// pathErrors are errors that concern one path alone.
var pathErrors = []error{errMoved, workspace.ErrIsLink, workspace.ErrFileTooLarge, fs.ErrNotExist, fs.ErrExist,
	fs.ErrPermission, unix.ENOTDIR, unix.EISDIR, unix.ENOTEMPTY, unix.EEXIST, unix.ENAMETOOLONG, unix.EBUSY,
	unix.EINVAL, unix.EIO, errBadRecord}

// isOfPath reports whether an error concerns one path alone.
func isOfPath(err error) bool {
	return slices.ContainsFunc(pathErrors, func(own error) bool { return errors.Is(err, own) })
}
