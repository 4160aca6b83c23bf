package cgroup

import (
	"fmt"
	"time"
)

// Usage is what a group takes, all its processes together. What this kernel does not count is 0.
type Usage struct {
	Memory, MemoryPeak int64 // bytes, with the file caches that are charged to the group
	PIDs               int64 // processes and threads
	CPU                time.Duration
}

// Strikes say how often each limit struck since the group was made.
type Strikes struct {
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

var usageCounters = map[Kind][]counter[Usage]{
	V2: {
		{"memory", "memory.current", "", func(u *Usage, n int64) { u.Memory += n }},
		{"memory", "memory.peak", "", func(u *Usage, n int64) { u.MemoryPeak += n }}, // since Linux 5.19
		{"pids", "pids.current", "", func(u *Usage, n int64) { u.PIDs += n }},
		{"", "cpu.stat", "usage_usec", func(u *Usage, n int64) { u.CPU += microseconds(n) }},
	},
	V1: {
		{"memory", "memory.usage_in_bytes", "", func(u *Usage, n int64) { u.Memory += n }},
		{"memory", "memory.max_usage_in_bytes", "", func(u *Usage, n int64) { u.MemoryPeak += n }},
		{"pids", "pids.current", "", func(u *Usage, n int64) { u.PIDs += n }},
		{"cpuacct", "cpuacct.usage", "", func(u *Usage, n int64) { u.CPU += time.Duration(n) }},
	},
}

var strikeCounters = map[Kind][]counter[Strikes]{
	V2: {
		{"memory", "memory.events", "oom_kill", func(s *Strikes, n int64) { s.OOMKills += n }},
		{"memory", "memory.events", "max", func(s *Strikes, n int64) { s.Memory += n }},
		{"pids", "pids.events", "max", func(s *Strikes, n int64) { s.PIDs += n }},
	},
	V1: {
		{"memory", "memory.oom_control", "oom_kill", func(s *Strikes, n int64) { s.OOMKills += n }}, // since Linux 4.13
		{"memory", "memory.failcnt", "", func(s *Strikes, n int64) { s.Memory += n }},
		{"memory", "memory.memsw.failcnt", "", func(s *Strikes, n int64) { s.Memory += n }}, // the limit with swap is asked first
		{"pids", "pids.events", "max", func(s *Strikes, n int64) { s.PIDs += n }},
	},
}

func microseconds(n int64) time.Duration { return time.Duration(min(n, 1<<53)) * time.Microsecond }

// Usage reads what the group takes now.
func (g *Group) Usage() (Usage, error) { return count(g, usageCounters[g.tree.kind]) }

// Strikes reads how often each limit struck. The numbers go with the group: read them before Remove.
func (g *Group) Strikes() (Strikes, error) { return count(g, strikeCounters[g.tree.kind]) }

// count reads counters. A file or a key that this kernel does not have leaves 0.
func count[T any](g *Group, counters []counter[T]) (T, error) {
	var total T
	for _, c := range counters {
		for _, p := range g.parts {
			if c.controller != "" && !p.hasController(c.controller) {
				continue
			}
			text, err := read(p.folder, c.file)
			if missing(err) {
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
