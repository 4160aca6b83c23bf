package filehistory

import (
	"context"
	"errors"
	"path"
	"slices"

	"mews/protocol"
)

// UndoSpan restores the paths that a span has changed to their states before the span. It leaves
// alone paths that another program may have changed too. Without force, it also leaves alone paths
// that have changed since, and the span's own files whose bytes are not kept, such as a large new
// file. With force, it deletes or replaces the latter, and leaves those alone that have changed since
// and are not kept. A repeated call with the same author continues.
func (h *History) UndoSpan(ctx context.Context, span protocol.HistorySpan, force bool,
	by protocol.HistoryAuthor) (undone protocol.UndoneSpan, err error) {
	err = h.doFor(ctx, func(s *store) error {
		changes, shared, err := s.spanChanges(span)
		if err != nil {
			return err
		}
		defer h.home.closeOpened()
		h.openChanged(changes, force)
		u := &undoPlan{store: s, shared: shared, force: force}
		if u.unseen, err = h.recordFoundChanges(ctx, s, changes, by); err != nil {
			return err
		}
		for i := range changes {
			u.add(&changes[i])
		}
		u.leaveFolders()
		var failed map[string]error
		made := protocol.HistorySpan{}
		if len(u.steps) > 0 {
			failed, made, err = h.putBack(ctx, s, u.steps, by)
		} else {
			made = s.spanSince(s.firstBegun(by), by)
		}
		u.addOutcomes(failed)
		undone = u.result()
		if made.To > made.From {
			undone.Span = &made
		}
		return err
	})
	h.wakeRun()
	return undone, err
}

// openChanged opens the closed folders among some changes, until closeOpened. Without force, it
// leaves out folders that have changed since.
func (h *History) openChanged(changes []change, force bool) {
	for i := range changes {
		c := &changes[i]
		if c.after.kind == directory {
			h.home.openClosed(c.path, func(e *entry) bool { return force || e.hasStamp(&c.after) })
		}
	}
}

// recordFoundChanges does the work of recordPaths for the paths of some changes. The earlier bytes of these
// changes stay kept until the operation ends.
func (h *History) recordFoundChanges(ctx context.Context, s *store, changes []change, by protocol.HistoryAuthor) (
	unseen map[string]error, err error) {
	paths := make([]string, len(changes))
	for i := range changes {
		paths[i] = changes[i].path
		s.pin(&changes[i].before)
	}
	return h.recordPaths(ctx, s, paths, by)
}

// pin protects the bytes of an entry from makeRoom until the operation ends.
func (s *store) pin(e *entry) {
	if s.hasBytes(e.digest) {
		s.fresh[e.digest] = true
	}
}

// recordPaths records changes of some paths from outside Mews, and keeps the present bytes. After an
// interrupted undo or restore by the same author, the changes are that author's. unseen has the
// paths that it cannot look at. The end of ctx is an error.
func (h *History) recordPaths(ctx context.Context, s *store, paths []string, by protocol.HistoryAuthor) (
	unseen map[string]error, err error) {
	changes, unseen := h.findPathChanges(s, paths)
	list := s.candidatesOf(changes)
	if _, err := s.keepAll(h.home, list, true, func() bool { return ctx.Err() != nil }); err != nil {
		return nil, err
	}
	var kept []string
	var found []change
	for i := range changes {
		c := &changes[i]
		if !c.before.hasStamp(&c.after) {
			found = append(found, *c)
		} else if p := s.index.present[c.path]; p != nil && !p.isKept() && c.after.isKept() {
			p.digest, p.why, p.racy = c.after.digest, pending, c.after.racy
			kept = append(kept, c.path)
		}
	}
	if err = s.appendPresents(kept); err == nil && len(found) > 0 {
		author := s.foundAuthor(len(h.running))
		if s.isInterrupted(by) {
			author = point{by: by}
		}
		_, err = s.appendPoint(author, found)
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx) // some bytes are not kept
	}
	return unseen, err
}

// findPathChanges returns the paths that have changed or whose bytes should be kept.
func (h *History) findPathChanges(s *store, paths []string) (changes []change, unseen map[string]error) {
	unseen = map[string]error{}
	for _, path := range paths {
		c := change{path: path}
		if was := s.index.present[path]; was != nil {
			c.before = *was
		}
		now, err := h.home.stat(path)
		if err != nil {
			unseen[path] = err
			continue
		}
		if c.after = now; c.before.hasStamp(&now) {
			if c.after = c.before; c.after.why == unreadable {
				c.after.why = pending // its folder may be open now
			}
		} else {
			c.after.why = h.home.reasonOf(path, &now, h.rules)
		}
		if !c.before.hasStamp(&c.after) || c.after.wantsBytes() {
			changes = append(changes, c)
		}
	}
	return changes, unseen
}

// undoPlan sorts the changes of a span by what an undo does with them.
type undoPlan struct {
	store  *store
	shared map[string]bool
	unseen map[string]error // paths that cannot be looked at
	force  bool
	steps  []step

	restored, changed, sharing, noByte, unkept, failed []string
}

// add decides about one change. The present list is up to date.
func (u *undoPlan) add(c *change) {
	now := entry{}
	if p := u.store.index.present[c.path]; p != nil {
		now = *p
	}
	isBefore := now.isSame(&c.before)
	hasChanged := !now.isSame(&c.after) && !now.isOpened(&c.after)
	switch {
	case isBefore && c.before.isSame(&c.after), c.before.kind == unknown:
		return // nothing to undo
	case u.unseen[c.path] != nil:
		u.failed = append(u.failed, c.path)
	case isBefore:
		u.restored = append(u.restored, c.path)
	case u.shared[c.path]:
		u.sharing = append(u.sharing, c.path)
	case !u.force && hasChanged:
		u.changed = append(u.changed, c.path)
	case c.before.kind == special, c.before.kind == file && !u.store.hasBytes(c.before.digest),
		hasChanged && now.kind == file && !u.store.hasBytes(now.digest):
		u.noByte = append(u.noByte, c.path)
	case !u.force && u.isLost(&now):
		u.unkept = append(u.unkept, c.path)
	default:
		u.steps = append(u.steps, step{path: c.path, now: now, to: c.before})
	}
}

// isLost reports whether nobody could restore the bytes of a file after a change.
func (u *undoPlan) isLost(now *entry) bool { return now.kind == file && !u.store.hasBytes(now.digest) }

// leaveFolders leaves alone the new folders of files that stay because their bytes are not kept.
func (u *undoPlan) leaveFolders() {
	full := map[string]bool{}
	for _, name := range u.unkept {
		for name = path.Dir(name); name != "." && !full[name]; name = path.Dir(name) {
			full[name] = true
		}
	}
	u.steps = slices.DeleteFunc(u.steps, func(st step) bool {
		stays := st.to.kind == absent && full[st.path]
		if stays {
			u.unkept = append(u.unkept, st.path)
		}
		return stays
	})
}

// addOutcomes sorts the steps by their outcomes. failed has the paths that were left alone.
func (u *undoPlan) addOutcomes(failed map[string]error) {
	for _, st := range u.steps {
		switch err := failed[st.path]; {
		case err == nil:
			u.restored = append(u.restored, st.path)
			if u.isLost(&st.now) {
				u.unkept = append(u.unkept, st.path)
			}
		case errors.Is(err, errMoved):
			u.changed = append(u.changed, st.path)
		default:
			u.failed = append(u.failed, st.path)
		}
	}
}

func (u *undoPlan) result() protocol.UndoneSpan {
	for _, list := range [][]string{u.restored, u.changed, u.sharing, u.noByte, u.unkept, u.failed} {
		sortForNames(list)
	}
	return protocol.UndoneSpan{Restored: countPaths(u.restored), Changed: countPaths(u.changed),
		Shared:  countPaths(u.sharing),
		NotKept: countPaths(u.noByte), Unkept: countPaths(u.unkept), Failed: countPaths(u.failed)}
}
