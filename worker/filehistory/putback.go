package filehistory

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mews/protocol"
)

// step restores one path.
type step struct {
	path     string
	now, to  entry
	replaces bool // what is there must be removed first
}

// putBack carries out steps as one span of an author. The zero span means that it has changed
// nothing. failed has the paths that were left alone. A full disk, the quota or the end of ctx ends
// putBack early.
func (h *History) putBack(ctx context.Context, s *store, steps []step,
	by protocol.HistoryAuthor) (failed map[string]error, span protocol.HistorySpan, err error) {
	w := &putter{ctx: ctx, store: s, home: h.home, to: h.options.Home.StartRestore(), failed: map[string]error{},
		done: map[string]bool{}, written: map[string]entry{}, touched: map[fileID]bool{}}
	if err = s.reserveRecords(steps); err != nil {
		w.failRest(steps, err)
		return w.failed, span, errors.Join(err, w.to.Close())
	}
	defer func() { s.room.reserved = 0 }()
	span.From = s.index.last()
	if n := s.firstBegun(by); n > 0 {
		span.From = n - 1
	} else {
		_, err = s.appendPoint(point{by: by, begun: true}, nil)
	}
	if err == nil {
		err = s.packs.sync()
	}
	if err != nil {
		w.failRest(steps, err)
		return w.failed, protocol.HistorySpan{}, err
	}
	err = w.run(steps)
	w.failRest(steps, err)
	err = errors.Join(err, w.to.Close())
	h.home.keepOpen(w.done)
	changes := h.putChanges(s, steps, w)
	to, lost := s.appendPoint(point{by: by}, changes)
	if span = s.spanTo(span.From, to); len(changes) == 0 {
		span = s.unlessEmpty(span, by)
	}
	if lost == nil {
		lost = s.packs.sync()
	}
	return w.failed, span, errors.Join(err, lost)
}

// reserveRecords reserves room for the records of the steps' changes, before the first change. A
// restore without records could not be taken back. The restored files may fill the disk meanwhile.
func (s *store) reserveRecords(steps []step) error {
	changes := make([]change, len(steps))
	for i := range steps {
		changes[i] = change{path: steps[i].path, before: steps[i].now, after: steps[i].to}
	}
	_, size := changesFrames(&point{}, changes)
	size += size / 4 // for folders that are made on the way
	if err := s.checkRecords(size, changes); err != nil {
		return fmt.Errorf("the disk is too full to keep a way back; free some space, then try again (%w)", err)
	}
	s.room.reserved = size
	return nil
}

// firstBegun returns the point at which an author's undo or restore began; 0 means none. The undo
// or restore may have ended since. An author without words always begins a new span.
func (s *store) firstBegun(by protocol.HistoryAuthor) int64 {
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

// putChanges returns the changes that steps have made, with the digests of written files. It leaves
// out paths that were changed by others, or that it cannot look at.
func (h *History) putChanges(s *store, steps []step, w *putter) (changes []change) {
	targets := make(map[string]*entry, len(steps))
	paths := slices.Clone(w.made)
	for i := range steps {
		targets[steps[i].path] = &steps[i].to
		paths = append(paths, steps[i].path)
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		if errors.Is(w.failed[path], errMoved) {
			continue
		}
		c := change{path: path}
		if was := s.index.present[path]; was != nil {
			c.before = *was
		}
		var err error
		if c.after, err = h.home.stat(path); err != nil {
			w.failed[path] = err
			continue
		}
		c.after.why = h.home.reasonOf(path, &c.after, h.rules)
		if put, ok := w.written[path]; ok && c.after.hasStamp(&put) {
			c.after.digest, c.after.racy = targets[path].digest, true // it is read again later
		}
		if !c.before.hasStamp(&c.after) {
			changes = append(changes, c)
		}
	}
	return changes
}
