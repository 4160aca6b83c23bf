package disk

import (
	"cmp"
	"slices"

	"mews/protocol"
)

// writer is a user whose worker may have filled a disk.
type writer struct {
	user string
	protocol.DiskGrowth
	silent bool // the worker did not answer
}

// need is what a disk needs.
type need struct {
	files  bool  // it lacks room for files, and not bytes
	noise  int64 // the growth that proves nothing, in bytes or files
	urgent bool  // the disk is full: all who have filled it must end, not only the first
	// the disk has less room than before, so that somebody still writes
	falling bool
}

// shareOfCause is the part of the greatest growth from which somebody else is a cause too.
const shareOfCause = 4

// chooseWriters returns the users whose programs must end: who has written most since their
// programs started, comes first. If no home has grown, it is who has written most anywhere: to
// other folders, or to files that no folder shows. Then it is a worker that can't tell.
func chooseWriters(all []writer, n need) (chosen []string) {
	all = slices.DeleteFunc(slices.Clone(all), func(w writer) bool { return w.Programs == 0 && !w.silent })
	grown := func(w writer) int64 {
		if n.files {
			return w.Files
		}
		return w.Bytes
	}
	slices.SortStableFunc(all, func(a, b writer) int { return cmp.Compare(grown(b), grown(a)) })
	for _, w := range all {
		if grown(w) < n.noise || len(chosen) > 0 && (!n.urgent || grown(w) < grown(all[0])/shareOfCause) {
			break
		}
		chosen = append(chosen, w.user)
	}
	if len(chosen) > 0 || len(all) == 0 || !n.urgent && !n.falling {
		return chosen
	}
	least := n.noise
	if n.files {
		least = 1 // each file takes less than a block
	}
	top := slices.MaxFunc(all, func(a, b writer) int { return cmp.Compare(a.Written, b.Written) })
	if top.Written >= least {
		return []string{top.user}
	}
	for _, w := range all {
		if w.silent || w.Partial {
			return []string{w.user}
		}
	}
	return nil
}
