package filehistory

import (
	"context"
	"io"
	"slices"
	"strings"
)

// Search returns the files that have a version with one of the phrases. It searches the files among
// paths, and those in folders among them. Upper and lower case count as the same.
func (h *History) Search(ctx context.Context, paths, phrases []string) (found []string, err error) {
	versions := map[string]map[digest]bool{}
	err = h.doFor(ctx, func(s *store) error {
		wanted := pathSet(paths)
		add := func(path string, d digest) {
			if s.hasBytes(d) && isWithin(path, wanted) {
				if versions[path] == nil {
					versions[path] = map[digest]bool{}
				}
				versions[path][d] = true
			}
		}
		err := s.eachChange(1, s.index.last(), func(_ *point, c *change) {
			add(c.path, c.before.digest)
			add(c.path, c.after.digest)
		})
		if err == nil {
			err = s.eachPresent(func(p *present) { add(p.path, p.digest) })
		}
		if err != nil {
			return err
		}
		for i := range s.index.holds {
			add(s.index.holds[i].path, s.index.holds[i].digest)
		}
		return nil
	})
	searched := map[digest]bool{}
	for path, digests := range versions {
		for d := range digests {
			has, known := searched[d]
			if !known && err == nil { // other operations get the lock between two versions
				err = h.doFor(ctx, func(s *store) error {
					has = s.hasBytes(d) && s.hasPhrase(d, phrases)
					return context.Cause(ctx)
				})
				searched[d] = has
			}
			if has {
				found = append(found, path)
				break
			}
		}
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(found)
	return found, nil
}

func pathSet(paths []string) map[string]bool {
	set := make(map[string]bool, len(paths))
	for _, path := range paths {
		set[path] = true
	}
	return set
}

// hasPhrase reports whether kept bytes have one of the phrases. Damaged bytes have none.
func (s *store) hasPhrase(d digest, phrases []string) bool {
	chunks, _, err := s.chunksOf(d)
	if err != nil {
		s.report(err)
		return false
	}
	text, err := io.ReadAll(newBlobReader(d, chunks, s.readChunk))
	if err != nil {
		s.report(err)
	}
	lower := strings.ToLower(string(text))
	return slices.ContainsFunc(phrases, func(phrase string) bool {
		return phrase != "" && strings.Contains(lower, strings.ToLower(phrase))
	})
}
