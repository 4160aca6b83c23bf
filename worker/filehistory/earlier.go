package filehistory

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"mews/protocol"
)

// CountEarlier counts the versions of some paths, and of everything in folders among them. Present
// versions do not count. The result has a number for each path with versions.
func (h *History) CountEarlier(paths []string) (versions map[string]int64, err error) {
	versions = map[string]int64{}
	err = h.do(func(s *store) error {
		wanted := pathSet(paths)
		all, err := s.versions()
		for path, list := range all {
			if !isWithin(path, wanted) {
				continue
			}
			for i := range list {
				if v := &list[i]; !v.isPresent() && s.hasBytes(v.digest) {
					versions[path]++
				}
			}
		}
		return err
	})
	return versions, err
}

// PathsOfSpans lists the paths that some spans changed. It leaves out spans that are not kept any
// longer.
func (h *History) PathsOfSpans(spans []protocol.HistorySpan) (paths []string, err error) {
	err = h.do(func(s *store) error {
		changed := map[string]bool{}
		for _, span := range spans {
			list, _, err := s.spanChanges(span)
			if err != nil && !errors.Is(err, errNoPoint) && !errors.Is(err, ErrOtherHistory) {
				return err
			}
			for i := range list {
				changed[list[i].path] = true
			}
		}
		paths = slices.Sorted(maps.Keys(changed))
		return nil
	})
	return paths, err
}

// NameEarlier returns counts of versions in the form of the protocol. It names the files with the
// shortest paths.
func NameEarlier(versions map[string]int64) (e protocol.EarlierVersions, total int64) {
	paths := slices.SortedFunc(maps.Keys(versions), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	for _, path := range paths {
		total += versions[path]
		if len(e.Files) < protocol.MaxNamedPaths && isSendable(path) {
			e.Files = append(e.Files, protocol.PathVersions{Path: path, Versions: versions[path]})
		} else {
			e.More++
		}
	}
	return e, total
}
