package filehistory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"mews/protocol"
)

// RestoreRequest asks for a path as it was at a point.
type RestoreRequest struct {
	Path    string // clean path of a file or folder; "." means the home
	Point   int64  // 0 means the newest point
	Copy    string // new path to restore to; "" means in place
	Preview bool   // only count
}

// RestoreResult tells what a restore has changed, or would change.
type RestoreResult struct {
	Restored protocol.PathCount // paths that get an earlier state
	Deleted  protocol.PathCount // paths that were not there at the point
	// NotKept counts paths that stay, because their earlier or present bytes are not kept
	NotKept protocol.PathCount
	// Failed counts paths that stay, because they have changed meanwhile or there was an error
	Failed protocol.PathCount
	// Span has the changes of the restore; the zero span means none
	Span protocol.HistorySpan
}

// Restore restores a path to its state at a point, in place or as a copy. It first keeps the
// present state. A repeated call with the same author continues.
func (h *History) Restore(ctx context.Context, r RestoreRequest,
	by protocol.HistoryAuthor) (result RestoreResult, err error) {
	err = h.doFor(ctx, func(s *store) error {
		p, err := s.pointOrLast(r.Point)
		if err != nil {
			return err
		}
		if err := h.recordInterrupted(ctx, s, cmp.Or(r.Copy, r.Path), by); err != nil {
			return err
		}
		defer h.home.closeOpened()
		tree, err := h.walkClosed(ctx, s, cmp.Or(r.Copy, r.Path))
		if err != nil {
			return err
		}
		if _, err := h.scan(ctx, s, tree, func() bool { return true }); err != nil {
			return err
		}
		plan := &restorePlan{store: s, preview: r.Preview}
		if err := plan.make(r, p.number, s.firstBegun(by) > 0); err != nil {
			return err
		}
		if r.Copy != "" {
			if err := h.options.Home.CheckGrowth(plan.growth()); err != nil {
				return err
			}
		}
		if r.Preview {
			plan.count(nil, &result)
			return nil
		}
		unseen, err := h.recordPaths(ctx, s, plan.paths(), by) // keeps what is there now
		if err != nil {
			return err
		}
		plan = &restorePlan{store: s, unseen: unseen}
		if err := plan.make(r, p.number, true); err != nil {
			return err
		}
		var failed map[string]error
		if len(plan.steps) > 0 {
			failed, result.Span, err = h.putBack(ctx, s, plan.steps, by)
		} else {
			result.Span = s.spanSince(s.firstBegun(by), by)
		}
		plan.count(failed, &result)
		return err
	})
	h.wakeRun()
	return result, err
}

// walkClosed lists the home, and opens closed folders at a path, above it and below it until
// closeOpened. It only opens folders whose contents are known, because unknown files count as new,
// and a restore deletes those.
func (h *History) walkClosed(ctx context.Context, s *store, path string) (*Tree, error) {
	tree, err := h.Walk(ctx)
	if err != nil {
		return nil, err
	}
	isKnown := s.knownFolders()
	return h.readClosed(ctx, tree, func(name string, e *entry) bool {
		return (name == path || isBelow(name, path) || isBelow(path, name)) && isKnown(name, e)
	})
}

// pointOrLast returns a point; 0 means the newest.
func (s *store) pointOrLast(number int64) (*point, error) {
	if number == 0 {
		number = s.index.last()
	}
	p := s.index.point(number)
	if p == nil {
		return nil, fmt.Errorf("point %d: %w: %w", number, errNoPoint, fs.ErrNotExist)
	}
	return p, nil
}

// restorePlan has the steps of a restore.
type restorePlan struct {
	store   *store
	preview bool             // files that wait to be kept count as kept
	unseen  map[string]error // paths that cannot be looked at
	steps   []step
	notKept []string
	failed  []string
}

// make compares a path at a point with the present. The present list is up to date.
func (plan *restorePlan) make(r RestoreRequest, number int64, continues bool) error {
	was, err := plan.store.stateAt(number, r.Path)
	if err != nil {
		return err
	}
	if len(was) == 0 && r.Path != "." {
		return plan.store.whyMissing(r.Path, number)
	}
	if r.Copy != "" {
		if !continues && plan.store.index.present[r.Copy] != nil {
			return fmt.Errorf("%s: %w", r.Copy, fs.ErrExist)
		}
		plan.copy(r, was)
		return nil
	}
	for path, to := range was {
		plan.add(path, to)
	}
	for path := range plan.store.index.present {
		if _, known := was[path]; !known && isBelow(path, r.Path) {
			plan.add(path, entry{})
		}
	}
	for parent := parentOf(r.Path); parent != "." && r.Path != "."; parent = parentOf(parent) {
		if plan.store.index.present[parent] != nil {
			break
		}
		above, err := plan.store.stateAt(number, parent)
		if err != nil {
			return err
		}
		if e, known := above[parent]; known {
			plan.add(parent, e)
		}
	}
	return nil
}

// ErrAbsent means that a path did not exist at a point.
var ErrAbsent = errors.New("it did not exist then")

// whyMissing returns the error for a path that the history does not have at a point. It is
// ErrAbsent if the history has the path at another point.
func (s *store) whyMissing(path string, number int64) error {
	list, err := s.versionsOf(path)
	if err == nil {
		if err = fs.ErrNotExist; len(list) > 0 {
			err = ErrAbsent
		}
	}
	return fmt.Errorf("%s at point %d: %w", path, number, err)
}

// add decides about one path. The bytes that it restores stay kept until the end of the operation.
func (plan *restorePlan) add(path string, to entry) {
	plan.store.pin(&to)
	now := entry{}
	if p := plan.store.index.present[path]; p != nil {
		now = *p
	}
	switch {
	case plan.unseen[path] != nil:
		plan.failed = append(plan.failed, path)
	case now.isSame(&to), to.kind == unknown:
	case to.kind == special, to.kind == file && !plan.store.hasBytes(to.digest), now.kind == special,
		now.kind == file && !plan.store.hasBytes(now.digest) && !(plan.preview && now.wantsBytes()):
		plan.notKept = append(plan.notKept, path)
	default:
		plan.steps = append(plan.steps, step{path: path, now: now, to: to})
	}
}

// paths returns the paths that the restore would change, or cannot change.
func (plan *restorePlan) paths() []string {
	list := slices.Clone(plan.notKept)
	for i := range plan.steps {
		list = append(list, plan.steps[i].path)
	}
	return list
}

// growth returns the number of bytes that the restored files have.
func (plan *restorePlan) growth() (n int64) {
	for i := range plan.steps {
		if to := &plan.steps[i].to; to.kind == file {
			n += to.size
		}
	}
	return n
}

// copy plans to make a copy at a new path.
func (plan *restorePlan) copy(r RestoreRequest, was map[string]entry) {
	for name, to := range was {
		if r.Path == "." && isBelow(name, r.Copy) {
			continue
		}
		target := path.Join(r.Copy, strings.TrimPrefix(name, r.Path))
		if r.Path == "." {
			target = path.Join(r.Copy, name)
		}
		plan.add(target, to)
	}
	if r.Path == "." {
		plan.add(r.Copy, entry{kind: directory, mode: 0o755})
	}
}

// count fills in the counts of a result. failed has the paths that were left alone.
func (plan *restorePlan) count(failed map[string]error, result *RestoreResult) {
	var restored, deleted []string
	for _, st := range plan.steps {
		switch {
		case failed[st.path] != nil:
			plan.failed = append(plan.failed, st.path)
		case st.to.kind == absent:
			deleted = append(deleted, st.path)
		default:
			restored = append(restored, st.path)
		}
	}
	for _, list := range [][]string{restored, deleted, plan.notKept, plan.failed} {
		sortForNames(list)
	}
	result.Restored, result.Deleted = countPaths(restored), countPaths(deleted)
	result.NotKept, result.Failed = countPaths(plan.notKept), countPaths(plan.failed)
}
