package filehistory

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"mews/protocol"
)

// eachChange calls visit for the changes of a range of points, oldest first. The range includes
// both ends. A damaged record is reported and skipped. Any other error ends the iteration.
func (s *store) eachChange(from, to int64, visit func(p *point, c *change)) error {
	for _, pack := range s.packs.list {
		for _, m := range pack.meta {
			if m.kind != changesRecord || m.point < from || m.point > to {
				continue
			}
			payload, _, err := s.packs.read(pack.number, m.at, m.size)
			if err != nil {
				if err := s.unlessDamaged(err); err != nil {
					return err
				}
				continue
			}
			number, nonce, list, err := decodeChanges(payload)
			if err != nil {
				s.report(fmt.Errorf("read the changes of point %d: %w", m.point, err))
			}
			if p := s.index.point(number); p != nil && p.nonce == nonce {
				for i := range list {
					visit(p, &list[i])
				}
			}
		}
	}
	return nil
}

// unlessDamaged reports the error of a damaged record, and returns any other error.
func (s *store) unlessDamaged(err error) error {
	if !errors.Is(err, errBadRecord) && !errors.Is(err, unix.EIO) {
		return err
	}
	s.report(err)
	return nil
}

// eachPresent calls visit for each present entry whose bytes were kept only after its point.
func (s *store) eachPresent(visit func(p *present)) error {
	for _, pack := range s.packs.list {
		for _, m := range pack.meta {
			if m.kind != presentRecord {
				continue
			}
			payload, _, err := s.packs.read(pack.number, m.at, m.size)
			if err != nil {
				if err := s.unlessDamaged(err); err != nil {
					return err
				}
				continue
			}
			list, err := decodePresent(payload)
			if err != nil {
				s.report(fmt.Errorf("read kept files: %w", err))
			}
			for i := range list {
				visit(&list[i])
			}
		}
	}
	return nil
}

// errNoPoint means that a span or point is not in the history.
var errNoPoint = errors.New("the file history does not reach back so far")

// ErrOtherHistory means that a span or point is of a history that another one has replaced.
var ErrOtherHistory = errors.New("the file history from then was lost or replaced")

// spanTo returns the span between two points.
func (s *store) spanTo(from, to int64) protocol.HistorySpan {
	span := protocol.HistorySpan{From: from, To: to}
	if p := s.index.point(to); p != nil {
		span.Nonce = p.wireNonce()
	}
	return span
}

// CheckPoint returns ErrOtherHistory if the nonce of a point does not begin with nonce.
func (h *History) CheckPoint(number int64, nonce protocol.PointNonce) error {
	return h.do(func(s *store) error {
		if p := s.index.point(number); p != nil && !strings.HasPrefix(string(p.wireNonce()), string(nonce)) {
			return fmt.Errorf("point %d: %w", number, ErrOtherHistory)
		}
		return nil
	})
}

// spanChanges returns the changes that the author of a span has made, one for each path. shared has
// the paths that another program may have changed.
func (s *store) spanChanges(span protocol.HistorySpan) (list []change, shared map[string]bool, err error) {
	last := s.index.point(span.To)
	if last == nil || span.From >= span.To {
		return nil, nil, fmt.Errorf("points %d to %d: %w", span.From, span.To, errors.Join(errNoPoint, fs.ErrNotExist))
	}
	if span.Nonce != last.wireNonce() {
		return nil, nil, fmt.Errorf("points %d to %d: %w", span.From, span.To, ErrOtherHistory)
	}
	at := map[string]int{}
	shared = map[string]bool{}
	err = s.eachChange(span.From+1, span.To, func(p *point, c *change) {
		if !isOfAuthor(p, last.by) {
			return
		}
		if span.Shared || p.shared {
			shared[c.path] = true
		}
		if i, known := at[c.path]; known {
			list[i].after = c.after
			return
		}
		at[c.path] = len(list)
		list = append(list, *c)
	})
	if err == nil {
		err = s.addLaterBytes(span, at, list)
	}
	slices.SortFunc(list, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return list, shared, err
}

// isOfAuthor reports whether a point in a span belongs to the span's author. If programs ran at the
// same time, each point of theirs belongs to all of them.
func isOfAuthor(p *point, by protocol.HistoryAuthor) bool {
	return p.by.Kind == by.Kind && (by.Kind == protocol.HistoryAuthorProgram || p.by.Words == by.Words)
}

// addLaterBytes adds the digests of new bytes that were kept after the span.
func (s *store) addLaterBytes(span protocol.HistorySpan, at map[string]int, list []change) error {
	if !slices.ContainsFunc(list, func(c change) bool { return !c.after.isKept() }) {
		return nil
	}
	return s.eachPresent(func(p *present) {
		i, known := at[p.path]
		if known && p.since > span.From && p.since <= span.To && list[i].after.hasStamp(&p.entry) {
			list[i].after.digest = p.digest
		}
	})
}

// stateAt returns the entries of a path and of everything below it as they were at a point. An
// entry has the kind unknown if the history had not yet looked at its path.
func (s *store) stateAt(number int64, below string) (map[string]entry, error) {
	state := map[string]entry{}
	has := func(path string) bool { return path == below || isBelow(path, below) }
	err := s.eachChange(number+1, s.index.last(), func(p *point, c *change) {
		if _, known := state[c.path]; !known && has(c.path) {
			state[c.path] = c.before
		}
	})
	for path, e := range s.index.present {
		if _, known := state[path]; !known && has(path) {
			state[path] = *e
		}
	}
	for path, e := range state {
		if e.kind == absent {
			delete(state, path)
		}
	}
	return state, err
}
