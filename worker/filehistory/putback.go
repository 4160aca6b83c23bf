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

	"mews/protocol"
	"mews/worker/workspace"
)

// step restores one path.
type step struct {
	path     string
	now, to  entry
	replaces bool // what is there must be removed first
}

// putBack carries out steps as one span of an author. failed has the paths that were left alone. A
// full disk or the quota ends putBack early.
func (h *History) putBack(ctx context.Context, s *store, steps []step,
	by protocol.HistoryAuthor) (failed map[string]bool,
	span protocol.HistorySpan, err error) {
	span.From = s.index.last()
	if n := s.unfinished(by); n > 0 {
		span.From = n - 1
	} else {
		if _, err := s.appendPoint(point{by: by, begun: true}, nil); err != nil {
			return nil, protocol.HistorySpan{}, err
		}
	}
	if err := s.packs.sync(); err != nil {
		return nil, protocol.HistorySpan{}, err
	}
	w := &putter{ctx: ctx, store: s, to: h.options.Home.StartRestore(), failed: map[string]bool{}}
	h.recorded = time.Now().UnixNano()
	err = errors.Join(w.run(steps), w.to.Close())
	h.recorded = time.Now().UnixNano()
	changes, lost := h.putChanges(s, steps, w.made)
	if lost == nil {
		var to int64
		to, lost = s.appendPoint(point{by: by}, changes)
		span = s.spanTo(span.From, to)
	}
	if lost == nil {
		lost = s.packs.sync()
	}
	return w.failed, span, errors.Join(err, lost)
}

// unfinished returns the first point of an undo or restore that its author has begun; 0 means none.
// An author without words always begins a new span.
func (s *store) unfinished(by protocol.HistoryAuthor) int64 {
	if by.Words == "" {
		return 0
	}
	for i := range s.index.points {
		if p := &s.index.points[i]; p.begun && p.by == by {
			return p.number
		}
	}
	return 0
}

// putChanges returns the changes that the steps have made, with the digests of written files.
func (h *History) putChanges(s *store, steps []step, made []string) (changes []change, err error) {
	targets := make(map[string]*entry, len(steps))
	paths := slices.Clone(made)
	for i := range steps {
		targets[steps[i].path] = &steps[i].to
		paths = append(paths, steps[i].path)
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		c := change{path: path}
		if was := s.index.present[path]; was != nil {
			c.before = *was
		}
		if c.after, err = h.home.stat(path); err != nil {
			return nil, err
		}
		c.after.why = h.home.reasonOf(path, &c.after, h.rules)
		to := targets[path]
		if to != nil && c.after.kind == file && c.after.size == to.size && c.after.modify == to.modify {
			c.after.digest = to.digest
		}
		if !c.before.hasStamp(&c.after) {
			changes = append(changes, c)
		}
	}
	return changes, nil
}

// putter carries out steps.
type putter struct {
	ctx    context.Context
	store  *store
	to     *workspace.Restorer
	failed map[string]bool
	made   []string // folders that were missing
	parent string   // folder that is known to exist; "" means none
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
	for i := range steps {
		if st := &steps[i]; st.to.kind == absent || st.replaces {
			if err := w.try(st.path, w.to.Remove(st.path)); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.path, b.path) })
	for i := range steps {
		if st := &steps[i]; st.to.kind != absent && !w.failed[st.path] {
			if err := w.try(st.path, w.put(st)); err != nil {
				return err
			}
		}
	}
	slices.Reverse(steps)
	for i := range steps {
		if st := &steps[i]; st.to.kind == directory && !w.failed[st.path] {
			if err := w.try(st.path, w.to.Mode(st.path, st.to.perm())); err != nil {
				return err
			}
		}
	}
	return nil
}

// put makes a path. The caller has removed anything else in its place.
func (w *putter) put(st *step) error {
	if err := w.makeParents(path.Dir(st.path)); err != nil {
		return err
	}
	switch st.to.kind {
	case directory:
		return w.to.Folder(st.path, st.to.perm())
	case link:
		return w.to.Link(st.path, st.to.target)
	case file:
		if st.now.kind == file && st.now.digest == st.to.digest && st.now.size == st.to.size {
			return w.to.Mode(st.path, st.to.perm())
		}
		return w.file(st)
	}
	return errors.New(reasons[isSpecial])
}

func (w *putter) file(st *step) error {
	chunks, size, err := w.store.chunksOf(st.to.digest)
	if err != nil {
		return err
	}
	return w.to.File(st.path, workspace.RestoredFile{
		Content: newBlobReader(st.to.digest, chunks, w.store.readChunk),
		Size:    size, Mode: st.to.perm(), Modified: time.Unix(0, st.to.modify), Sparse: st.to.sparse})
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
var pathErrors = []error{workspace.ErrIsLink, workspace.ErrFileTooLarge, fs.ErrNotExist, fs.ErrExist, fs.ErrPermission,
	unix.ENOTDIR, unix.EISDIR, unix.ENOTEMPTY, unix.EEXIST, unix.ENAMETOOLONG, unix.EBUSY, unix.EINVAL, errBadRecord}

// try notes a path that was left alone. It returns errors that the next path would get too.
func (w *putter) try(path string, err error) error {
	if err == nil && w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	if err == nil {
		return nil
	}
	w.failed[path] = true
	for _, own := range pathErrors {
		if errors.Is(err, own) {
			return nil
		}
	}
	return err
}
