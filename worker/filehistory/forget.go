package filehistory

import (
	"context"
	"errors"
	"path"
	"strings"
)

// Forget deletes all versions of these paths, and of everything in folders among them. When it
// returns, no pack has their bytes or names, unless other paths have the same bytes. It returns the
// number of versions. A file that is still there is kept again at the next look.
func (h *History) Forget(ctx context.Context, paths []string) (versions int64, err error) {
	err = h.do(func(s *store) error {
		wanted := pathSet(paths)
		if err := s.folder.remove(indexName); err != nil { // it has the names too
			return err
		}
		s.index.changed = true
		for path := range s.index.present {
			if isWanted(path, wanted) {
				delete(s.index.present, path)
			}
		}
		s.forgetWords(paths)
		f, err := s.forgetting(wanted)
		if err != nil {
			return err
		}
		s.removeHolds(f)
		for _, p := range append([]*pack(nil), s.packs.list...) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			dropped, err := s.rewritePack(p.number, f)
			if err != nil {
				return err
			}
			versions += dropped
		}
		return s.save()
	})
	return versions, err
}

// forgetWords removes the words of authors that name one of the paths.
func (s *store) forgetWords(paths []string) {
	for i := range s.index.points {
		words := &s.index.points[i].by.Words
		for _, name := range paths {
			if base := path.Base(name); strings.Contains(*words, base) {
				*words = ""
			}
		}
	}
}

// removeHolds removes the holds that do not pass from the index.
func (s *store) removeHolds(f filter) {
	var left []hold
	for i := range s.index.holds {
		if f.hold(&s.index.holds[i]) {
			left = append(left, s.index.holds[i])
		}
	}
	s.index.holds = left
}

// forgetting returns a filter for everything except some paths, and the bytes that only they have.
func (s *store) forgetting(wanted map[string]bool) (filter, error) {
	forgotten, used := map[digest]bool{}, map[digest]bool{}
	note := func(path string, digests ...digest) {
		set := used
		if isWanted(path, wanted) {
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
		}
	}
	hold := func(h *hold) bool {
		return h.path != "" && !isWanted(h.path, wanted) || h.path == "" && (!forgotten[h.digest] || used[h.digest])
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
		change:  func(_ *point, c *change) bool { return !isWanted(c.path, wanted) },
		present: func(p *present) bool { return !isWanted(p.path, wanted) },
		hold:    hold,
	}, err
}
