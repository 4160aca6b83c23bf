package filehistory

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"
	"strings"

	"mews/protocol"
)

// compare returns the changes from the present entries to a tree, sorted by path. Only paths below
// a folder count.
func (s *store) compare(t *Tree, below string) (changes []change) {
	s.walks++
	isFirst := s.index.last() == 0
	for i := range t.entries {
		e := &t.entries[i]
		c := change{path: e.path, after: e.entry}
		if p := s.index.present[e.path]; p != nil {
			p.walk = s.walks
			if p.hasStamp(&e.entry) {
				p.updateReason(e.why)
				continue
			}
			c.before = *p
		} else if isFirst {
			c.before.kind = unknown
		}
		changes = append(changes, c)
	}
	for path, p := range s.index.present {
		if p.walk != s.walks && isBelow(path, below) && !t.mayHold(path) {
			changes = append(changes, change{path: path, before: *p})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return changes
}

// maxStats bounds the paths that are looked at one by one, in about a second.
const maxStats = 100_000

// compareHome returns the changes from the present entries to a tree of the whole home. If the home
// holds too many files, it looks at the paths that the tree lacks one by one, the first maxStats of
// them in their order.
func (h *History) compareHome(s *store, t *Tree) []change {
	changes := s.compare(t, ".")
	if !t.isCut {
		return changes
	}
	var unseen []string
	for path, p := range s.index.present {
		if p.walk != s.walks {
			unseen = append(unseen, path)
		}
	}
	slices.Sort(unseen)
	for _, path := range unseen[:min(len(unseen), maxStats)] {
		p := s.index.present[path]
		now, err := h.home.stat(path)
		if err != nil || p.hasStamp(&now) {
			continue
		}
		now.why = h.home.reasonOf(path, &now, h.rules)
		changes = append(changes, change{path: path, before: *p, after: now})
	}
	slices.SortFunc(changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return changes
}

// updateReason updates the reason after a change of the rules about files that are left out.
func (e *entry) updateReason(why reason) {
	if e.digest != (digest{}) || e.why == why {
		return
	}
	isRule := e.why == tooLarge || e.why == leftOutByName || e.why == isCache || e.why == isExcluded
	if why != pending || isRule {
		e.why = why
	}
}

// candidate is a file whose bytes should be kept.
type candidate struct {
	path      string
	e         *entry
	isPresent bool // e is a copy of the present entry, and not part of a change
}

// candidates lists the files whose bytes should be kept. They are new files in some changes, and
// files of the present list. Small files come first; among files of similar size, the newest.
func (s *store) candidates(changes []change) (list []candidate) {
	changed := make(map[string]bool, len(changes))
	for i := range changes {
		c := &changes[i]
		changed[c.path] = true
		if c.after.wantsBytes() {
			list = append(list, candidate{path: c.path, e: &c.after})
		}
	}
	for path, e := range s.index.present {
		if (e.wantsBytes() || e.racy && e.kind == file && e.isKept() || s.mayRetry(e)) && !changed[path] {
			clone := *e
			list = append(list, candidate{path: path, e: &clone, isPresent: true})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(bits.Len64(uint64(a.e.size)), bits.Len64(uint64(b.e.size))),
			cmp.Compare(b.e.change, a.e.change), strings.Compare(a.path, b.path))
	})
	return list
}

// keepFound keeps the files in some changes, and present files that were not kept yet. The result
// all has all changes with their digests. The result left has the paths that are still not kept.
func (s *store) keepFound(h *home, changes []change, stop func() bool) (all []change, left []string, err error) {
	list := s.candidates(changes)
	left, err = s.keepAll(h, list, true, stop)
	more, lost := s.settle(list)
	return append(changes, more...), left, errors.Join(err, lost)
}

// settle stores the digests of kept candidates in the present list. If a file had other bytes than
// before, settle returns that as a change.
func (s *store) settle(list []candidate) (changes []change, err error) {
	var kept []string
	for _, c := range list {
		p := s.index.present[c.path]
		switch {
		case !c.isPresent || p == nil:
		case p.digest == c.e.digest && p.hasStamp(c.e):
			s.index.changed = s.index.changed || p.why != c.e.why || p.racy != c.e.racy
			p.why, p.racy = c.e.why, c.e.racy
		case !p.isKept() && p.hasStamp(c.e):
			*p = *c.e
			kept = append(kept, c.path)
		default:
			changes = append(changes, change{path: c.path, before: *p, after: *c.e})
		}
	}
	return changes, s.appendPresents(kept)
}

// retryUnreadable makes files that could not be read wait to be kept again.
func (s *store) retryUnreadable() {
	for _, e := range s.index.present {
		if e.kind == file && !e.isKept() && e.why == unreadable {
			e.why = pending
		}
	}
}

// countPaths counts paths and names some. It only counts paths that the protocol can't carry.
func countPaths(paths []string) (c protocol.PathCount) {
	c.Count = int64(len(paths))
	for _, path := range paths {
		if len(c.Named) == protocol.MaxNamedPaths {
			break
		}
		if isSendable(path) {
			c.Named = append(c.Named, path)
		}
	}
	return c
}
