package cgroup

import (
	"cmp"
	"fmt"
	"os"
	"slices"
)

// maxReuses is how often a Meter returns the size of a tree again without reading it. The kernel
// counts processor time in ticks of 10 ms, so what a program does in less than one tick would
// otherwise stay unseen.
const maxReuses = 4

// Meter measures processes with their descendants, again and again. It reads a tree only if one of
// its processes has run since the last measurement. One goroutine at a time may use it.
type Meter struct {
	Proc string // folder of the proc file system; "" means /proc

	trees map[int]measuredTree // the last measurement of each tree, by the pid of its root
}

// member is a process of a tree.
type member struct {
	pid int
	process
}

// measuredTree is one measurement of a tree.
type measuredTree struct {
	members []member
	limits  MeterLimits
	size    ProcessTreeSize
	reuses  int
}

// MeasureProcessTrees measures each process in roots together with all its descendants. Missing
// roots are left out.
func (m *Meter) MeasureProcessTrees(roots map[int]MeterLimits) (map[int]ProcessTreeSize, error) {
	dir, err := os.Open(cmp.Or(m.Proc, "/proc"))
	if err != nil {
		return nil, fmt.Errorf("measure processes: %w", err)
	}
	defer dir.Close()
	all, err := listProcesses(dir)
	if err != nil {
		return nil, fmt.Errorf("measure processes: %w", err)
	}
	children, sizes, trees := childrenOf(all), map[int]ProcessTreeSize{}, map[int]measuredTree{}
	for root, limits := range roots {
		if _, ok := all[root]; !ok {
			continue
		}
		now := measuredTree{limits: limits}
		for _, pid := range descendants(children, root) {
			now.members = append(now.members, member{pid, all[pid]})
		}
		if last := m.trees[root]; last.covers(now) {
			now.size, now.reuses = last.size, last.reuses+1
		} else if now.size, err = measureTree(dir, now.members, limits); err != nil {
			return nil, fmt.Errorf("measure process %d: %w", root, err)
		}
		trees[root], sizes[root] = now, now.size
	}
	m.trees = trees
	return sizes, nil
}

// covers reports whether no process of the tree has run since the measurement t, so that the size
// in t still holds.
func (t measuredTree) covers(now measuredTree) bool {
	return t.reuses < maxReuses && t.limits == now.limits && slices.Equal(t.members, now.members)
}
