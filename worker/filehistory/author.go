package filehistory

import (
	"context"

	"mews/protocol"
)

// foundAuthor returns the author of changes that are found now.
func (s *store) foundAuthor(programs int) point {
	if programs > 0 {
		return point{by: protocol.HistoryAuthor{Kind: protocol.HistoryAuthorProgram}, shared: true}
	}
	return point{by: protocol.HistoryAuthor{Kind: protocol.HistoryAuthorOther}}
}

// isInterrupted reports whether an undo or restore by this author was interrupted. Then its
// beginning is the last record. It may have changed paths without a record of that.
func (s *store) isInterrupted(by protocol.HistoryAuthor) bool {
	n := len(s.index.points)
	return n > 0 && by.Words != "" && s.index.points[n-1].begun && s.index.points[n-1].by == by
}

// awaitsRepeat reports whether an undo or restore was interrupted. Its repetition records the
// changes that it has made, unless a scan finds them first.
func (h *History) awaitsRepeat() (awaits bool) {
	h.report(h.do(func(s *store) error {
		n := len(s.index.points)
		awaits = n > 0 && s.index.points[n-1].begun
		return nil
	}))
	return awaits
}

// recordInterrupted records the changes that an interrupted restore by the same author has made. It looks
// at a path and everything below. Without an interrupted restore it does nothing.
func (h *History) recordInterrupted(ctx context.Context, s *store, path string, by protocol.HistoryAuthor) error {
	if !s.isInterrupted(by) {
		return nil
	}
	var changes []change
	if path == "." {
		tree, err := h.Walk(ctx)
		if err != nil {
			return err
		}
		changes = h.compareHome(s, tree)
	} else {
		var err error
		if changes, err = h.changesOf(ctx, s, []string{path}); err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		return nil
	}
	_, err := s.appendPoint(point{by: by}, changes)
	return err
}

// spanSince returns the span from a point to the author's last point. Number 0 gives the zero span,
// and so does a span without changes of the author.
func (s *store) spanSince(number int64, by protocol.HistoryAuthor) (span protocol.HistorySpan) {
	for i := range s.index.points {
		if p := &s.index.points[i]; number > 0 && p.number >= number && p.by == by {
			span = s.spanTo(number-1, p.number)
		}
	}
	return s.unlessEmpty(span, by)
}

// unlessEmpty returns a span, or the zero span if the author has changed no path in it. If the
// changes can't be read, it returns the span.
func (s *store) unlessEmpty(span protocol.HistorySpan, by protocol.HistoryAuthor) protocol.HistorySpan {
	isEmpty := true
	err := s.eachChange(span.From+1, span.To, func(p *point, _ *change) { isEmpty = isEmpty && p.by != by })
	if err == nil && isEmpty {
		return protocol.HistorySpan{}
	}
	return span
}
