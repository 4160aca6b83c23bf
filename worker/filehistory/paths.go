package filehistory

import (
	"cmp"
	"path"
	"slices"
)

// parentOf returns the folder of a path.
func parentOf(name string) string { return path.Dir(name) }

// reasonOf returns why the bytes of a path are not kept, from its path and its entry.
func (h *home) reasonOf(name string, e *entry, r *leftOut) reason {
	if e.kind == absent {
		return pending
	}
	return r.reasonFor(name, path.Base(name), e, h.reasonBelow(path.Dir(name), r))
}

// sortForNames sorts paths so that good examples come first: short paths.
func sortForNames(paths []string) {
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}

func sortLeftOut(list []LeftOut) {
	slices.SortFunc(list, func(a, b LeftOut) int {
		return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Why, b.Why))
	})
}

// candidatesOf lists the new files in some changes whose bytes should be kept.
func (s *store) candidatesOf(changes []change) (list []candidate) {
	for i := range changes {
		if c := &changes[i]; c.after.wantsBytes() {
			list = append(list, candidate{path: c.path, e: &c.after})
		}
	}
	return list
}
