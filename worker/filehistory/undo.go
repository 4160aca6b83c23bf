package filehistory

import (
	"context"

	"mews/protocol"
)

// UndoSpan restores the paths that a span has changed to their states before the span. Without
// force, it leaves alone paths that have changed since, or that another program may have changed. A
// repeated call with the same author continues.
func (h *History) UndoSpan(ctx context.Context, span protocol.HistorySpan, force bool,
	by protocol.HistoryAuthor) (undone protocol.UndoneSpan, err error) {
	err = h.do(func(s *store) error {
		changes, shared, err := s.spanChanges(span)
		if err != nil {
			return err
		}
		if err := h.lookAtChanges(ctx, s, changes); err != nil {
			return err
		}
		u := &undoPlan{store: s, shared: shared, force: force}
		for i := range changes {
			u.add(&changes[i])
		}
		var failed map[string]bool
		made := protocol.HistorySpan{}
		if len(u.steps) > 0 {
			failed, made, err = h.putBack(ctx, s, u.steps, by)
		} else if from := s.unfinished(by); from > 0 {
			made = s.spanTo(from-1, s.index.last())
		}
		for _, st := range u.steps {
			if failed[st.path] {
				u.changed = append(u.changed, st.path)
			} else {
				u.restored = append(u.restored, st.path)
			}
		}
		undone = u.result()
		if made.To > made.From {
			undone.Span = &made
		}
		return err
	})
	h.wakeRun()
	return undone, err
}

// lookAtChanges does the work of lookAt for the paths of some changes.
func (h *History) lookAtChanges(ctx context.Context, s *store, changes []change) error {
	paths := make([]string, len(changes))
	for i := range changes {
		paths[i] = changes[i].path
	}
	return h.lookAt(ctx, s, paths)
}

// lookAt records changes of some paths from outside Mews, and keeps the present bytes.
func (h *History) lookAt(ctx context.Context, s *store, paths []string) error {
	var changes []change
	for _, path := range paths {
		c := change{path: path}
		if was := s.index.present[path]; was != nil {
			c.before = *was
		}
		now, err := h.home.stat(path)
		if err != nil {
			return err
		}
		if c.after = now; c.before.hasStamp(&now) {
			c.after = c.before
		} else {
			c.after.why = h.home.reasonOf(path, &now, h.rules)
		}
		if !c.before.hasStamp(&c.after) || c.after.wantsBytes() {
			changes = append(changes, c)
		}
	}
	list := s.candidatesOf(changes)
	if _, err := s.keepAll(h.home, list, true, func() bool { return ctx.Err() != nil }); err != nil {
		return err
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
	if err := s.appendPresents(kept); err != nil || len(found) == 0 {
		return err
	}
	_, err := s.appendPoint(s.foundAuthor(len(h.running)), found)
	return err
}

// undoPlan sorts the changes of a span by what an undo does with them.
type undoPlan struct {
	store                              *store
	shared                             map[string]bool
	force                              bool
	steps                              []step
	restored, changed, sharing, noByte []string
}

// add decides about one change. The present list is up to date.
func (u *undoPlan) add(c *change) {
	now := entry{}
	if p := u.store.index.present[c.path]; p != nil {
		now = *p
	}
	isBefore := now.isSame(&c.before)
	switch {
	case isBefore && c.before.isSame(&c.after), c.before.kind == unknown:
		return // nothing to undo
	case isBefore:
		u.restored = append(u.restored, c.path)
	case u.shared[c.path] && !u.force:
		u.sharing = append(u.sharing, c.path)
	case !u.force && !now.isSame(&c.after):
		u.changed = append(u.changed, c.path)
	case c.before.kind == special, c.before.kind == file && !u.store.hasBytes(c.before.digest):
		u.noByte = append(u.noByte, c.path)
	default:
		u.steps = append(u.steps, step{path: c.path, now: now, to: c.before})
	}
}

func (u *undoPlan) result() protocol.UndoneSpan {
	for _, list := range [][]string{u.restored, u.changed, u.sharing, u.noByte} {
		sortForNames(list)
	}
	return protocol.UndoneSpan{Restored: countPaths(u.restored), Changed: countPaths(u.changed),
		Shared:  countPaths(u.sharing),
		NotKept: countPaths(u.noByte)}
}
