package filehistory

import (
	"context"
	"errors"
)

// Forget deletes all versions of these paths, and of everything in folders among them. When it
// returns, no pack has their bytes or names, unless other paths have the same bytes. It returns the
// number of deleted versions. Then it keeps the present versions again. Without paths it only reads
// the packs if a crash may have left bytes without a name.
func (h *History) Forget(ctx context.Context, paths []string) (versions int64, err error) {
	if len(paths) == 0 {
		isDone := false
		err := h.doFor(ctx, func(s *store) error {
			isDone = !h.interrupted
			return nil
		})
		if err != nil || isDone {
			return 0, err
		}
	}
	if versions, err = h.ForgetTraces(ctx, paths, nil, nil); err == nil {
		err = h.do(func(*store) error {
			h.interrupted = false
			return nil
		})
	}
	return versions, err
}

// removeHolds removes from the index the holds that do not pass a filter.
func (s *store) removeHolds(f filter) {
	var left []hold
	for i := range s.index.holds {
		if f.hold(&s.index.holds[i]) {
			left = append(left, s.index.holds[i])
		}
	}
	s.index.holds = left
}

// forgetting returns a filter that drops some paths, and the bytes that only they have. It also
// drops bytes that a tool kept for an unknown path, if they have one of the phrases.
func (s *store) forgetting(wanted map[string]bool, phrases []string) (filter, error) {
	forgotten, used := map[digest]bool{}, map[digest]bool{}
	note := func(path string, digests ...digest) {
		set := used
		if isWithin(path, wanted) {
			set = forgotten
		}
		for _, d := range digests {
			set[d] = true
		}
	}
	err := errors.Join(
		s.eachChange(1, s.index.last(), func(_ *point, c *change) { note(c.path, c.before.digest, c.after.digest) }),
		s.eachPresent(func(p *present) { note(p.path, p.digest) }))
	for _, h := range s.index.holds {
		if h.path != "" {
			note(h.path, h.digest)
		} else if len(phrases) > 0 && s.hasPhrase(h.digest, phrases) {
			forgotten[h.digest] = true
		}
	}
	hold := func(h *hold) bool {
		return h.path != "" && !isWithin(h.path, wanted) || h.path == "" && (!forgotten[h.digest] || used[h.digest])
	}
	for i := range s.index.holds {
		if h := &s.index.holds[i]; hold(h) {
			used[h.digest] = true
		}
	}
	for d := range used {
		if !s.hasBytes(d) {
			continue
		}
		chunks, _, lost := s.chunksOf(d)
		if lost != nil {
			err = errors.Join(err, s.unlessDamaged(lost))
		}
		for _, chunk := range chunks {
			used[chunk] = true
		}
	}
	return filter{
		blob:    func(d digest) bool { return used[d] },
		change:  func(_ *point, c *change) bool { return !isWithin(c.path, wanted) },
		present: func(p *present) bool { return !isWithin(p.path, wanted) },
		hold:    hold,

		skipsWhole: true,
	}, err
}
