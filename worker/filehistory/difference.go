package filehistory

import (
	"cmp"
	"context"

	"mews/protocol"
)

// Difference is the change of one path in a span.
type Difference struct {
	Path          string // may have any bytes except NUL
	Before, After protocol.FileVersion
}

// Differences lists the changes of a span by its author, one for each path, sorted.
func (h *History) Differences(span protocol.HistorySpan) (list []Difference, err error) {
	err = h.do(func(s *store) error {
		changes, _, err := s.spanChanges(span)
		for i := range changes {
			c := &changes[i]
			from := cmp.Or(s.index.point(span.From), s.index.point(span.To))
			list = append(list, Difference{Path: c.path, Before: s.fileVersion(from, &c.before),
				After: s.fileVersion(s.index.point(span.To), &c.after)})
		}
		return err
	})
	return list, err
}

// FindSpan returns the span from the first to the last point of an author. The zero span means that
// there are none. No other author may have the same words.
func (h *History) FindSpan(by protocol.HistoryAuthor) (span protocol.HistorySpan, err error) {
	err = h.do(func(s *store) error {
		for i := range s.index.points {
			p := &s.index.points[i]
			if p.by != by {
				continue
			}
			if span.To == 0 {
				span.From = p.number - 1
			}
			span = s.spanTo(span.From, p.number)
		}
		return nil
	})
	return span, err
}

// Scan records changes from outside Mews. It spends at most 2 s on keeping their new bytes.
func (h *History) Scan(ctx context.Context) error {
	return h.doFor(ctx, func(s *store) error {
		_, err := h.scan(ctx, s, nil, h.untilDeadline(ctx))
		return err
	})
}
