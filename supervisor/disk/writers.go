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
	silent bool // whether the worker did not answer in time
}

// need describes a disk's shortage.
type need struct {
	files  bool  // the disk lacks room for further files, but not for bytes
	noise  int64 // growth that is too small to prove anything, in bytes or files
	urgent bool  // the disk is full: the programs of all users who filled it must end, not only of the first
	// the disk has less room than before, so somebody still writes
	falling bool
}

// shareOfCause decides which other users are causes, too: their growth is at least the greatest
// growth divided by shareOfCause.
const shareOfCause = 4

// chooseWriters returns the users whose programs must end. First comes the user whose home has
// grown most since their programs started. If no home has grown, it chooses the user whose programs
// have written most anywhere: to other folders, or to files that no folder shows. Otherwise it
// chooses a user whose worker can't tell.
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
		least = 1 // count every new file, however small, because the disk lacks room for files
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
