package cgroup

import (
	"fmt"
)

// LimitHits say how often each limit struck since the group was made.
type LimitHits struct {
	OOMKills int64 // processes that the kernel killed because the group was at its memory limit
	Memory   int64 // times that the group came up against its memory limit; mostly file caches are given up, and all is well
	PIDs     int64 // forks that failed
}

// counter is where a number is read: a file's only number, or, with a key, the number after it.
type counter[T any] struct {
	controller string // "" for what is there without one
	file, key  string
	add        func(*T, int64)
}

var hitCounters = map[Kind][]counter[LimitHits]{
	V2: {
		{"memory", "memory.events", "oom_kill", func(s *LimitHits, n int64) { s.OOMKills += n }},
		{"memory", "memory.events", "max", func(s *LimitHits, n int64) { s.Memory += n }},
		{"pids", "pids.events", "max", func(s *LimitHits, n int64) { s.PIDs += n }},
	},
	V1: {
		{"memory", "memory.oom_control", "oom_kill", func(s *LimitHits, n int64) { s.OOMKills += n }}, // since Linux 4.13
		{"memory", "memory.failcnt", "", func(s *LimitHits, n int64) { s.Memory += n }},
		{"memory", "memory.memsw.failcnt", "", func(s *LimitHits, n int64) { s.Memory += n }}, // the limit with swap is asked first
		{"pids", "pids.events", "max", func(s *LimitHits, n int64) { s.PIDs += n }},
	},
}

// LimitHits reads how often each limit struck. The numbers go with the group: read them before Remove.
func (g *Group) LimitHits() (LimitHits, error) { return readCounters(g, hitCounters[g.tree.kind]) }

// readCounters reads counters. A file or a key that this kernel does not have leaves 0.
func readCounters[T any](g *Group, counters []counter[T]) (T, error) {
	var total T
	for _, c := range counters {
		for _, p := range g.dirs {
			if c.controller != "" && !p.hasController(c.controller) {
				continue
			}
			text, err := read(p.folder, c.file)
			if isMissing(err) {
				continue
			} else if err != nil {
				return total, err
			}
			n, err := number(text, c.key)
			if err != nil {
				return total, fmt.Errorf("read %s/%s: %w", p.folder.Name(), c.file, err)
			}
			c.add(&total, n)
		}
	}
	return total, nil
}
