package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"
)

// Only tests use these functions, to read groups.

// Usage is the use of resources by all processes of a group together. Values that this kernel does
// not count are 0.
type Usage struct {
	Memory, MemoryPeak int64 // used bytes now and at most so far, with the group's file caches
	PIDs               int64 // number of processes and threads
	CPU                time.Duration
}

var usageCounters = map[Kind][]counter[Usage]{
	KindV2: {
		{"memory", "memory.current", "", func(u *Usage, n int64) { u.Memory += n }},
		// the kernel has memory.peak since Linux 5.19
		{"memory", "memory.peak", "", func(u *Usage, n int64) { u.MemoryPeak += n }},
		{"pids", "pids.current", "", func(u *Usage, n int64) { u.PIDs += n }},
		{"", "cpu.stat", "usage_usec", func(u *Usage, n int64) { u.CPU += microseconds(n) }},
	},
	KindV1: {
		{"memory", "memory.usage_in_bytes", "", func(u *Usage, n int64) { u.Memory += n }},
		{"memory", "memory.max_usage_in_bytes", "", func(u *Usage, n int64) { u.MemoryPeak += n }},
		{"pids", "pids.current", "", func(u *Usage, n int64) { u.PIDs += n }},
	},
}

func microseconds(n int64) time.Duration { return time.Duration(min(n, 1<<53)) * time.Microsecond }

// Usage reads the present usage of the group.
func (g *Group) Usage() (Usage, error) { return readCounters(g, usageCounters[g.tree.kind]) }

// FindGroup returns an existing group, with its present limits. The error wraps fs.ErrNotExist if
// no hierarchy has the group.
func (t *Tree) FindGroup(name string) (*Group, error) {
	g, err := t.group(name)
	if err != nil {
		return nil, err
	}
	for _, h := range t.hierarchies {
		folder, err := openFolder(h.dir, g.name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, errors.Join(fmt.Errorf("find group %s: %w", name, err), g.Close())
		}
		g.dirs = append(g.dirs, groupDir{h, folder})
	}
	if len(g.dirs) == 0 {
		return nil, fmt.Errorf("find group %s: %w", name, fs.ErrNotExist)
	}
	return g, nil
}

// Close closes the descriptors. The group stays, and FindGroup finds it again.
func (g *Group) Close() error {
	var errs []error
	for _, p := range g.dirs {
		errs = append(errs, p.folder.Close())
	}
	g.dirs = nil
	return errors.Join(errs...)
}

// MeasureProcessTree measures one root with a new Meter. The error wraps fs.ErrNotExist if the root
// is missing.
func MeasureProcessTree(proc string, root int) (ProcessTreeSize, error) {
	all, err := (&Meter{Proc: proc}).MeasureProcessTrees(map[int]MeterLimits{root: {Tasks: math.MaxInt,
		Memory: true}})
	if err != nil {
		return ProcessTreeSize{}, err
	}
	sum, ok := all[root]
	if !ok {
		return ProcessTreeSize{}, fmt.Errorf("measure process %d: %w", root, fs.ErrNotExist)
	}
	return sum, nil
}
