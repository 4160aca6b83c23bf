package cgroup

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// LimitHits count how often each limit was hit since the group was made.
type LimitHits struct {
	OOMKills int64 // number of processes that the kernel killed at the group's memory limit
	// number of hits of the memory limit; usually only file caches were freed, and nothing was lost
	Memory int64
	PIDs   int64 // number of forks that failed at the limit of processes
}

// counter says where a number is in the kernel's files: alone in a file or, if there is a key,
// after the key.
type counter[T any] struct {
	controller string // controller of the file; "" for a file that every group has
	file, key  string
	add        func(*T, int64)
}

var hitCounters = map[Kind][]counter[LimitHits]{
	KindV2: {
		{"memory", "memory.events", "oom_kill", func(s *LimitHits, n int64) { s.OOMKills += n }},
		{"memory", "memory.events", "max", func(s *LimitHits, n int64) { s.Memory += n }},
		{"pids", "pids.events", "max", func(s *LimitHits, n int64) { s.PIDs += n }},
	},
	KindV1: {
		// the kernel has the key oom_kill since Linux 4.13
		{"memory", "memory.oom_control", "oom_kill", func(s *LimitHits, n int64) { s.OOMKills += n }},
		{"memory", "memory.failcnt", "", func(s *LimitHits, n int64) { s.Memory += n }},
		// the kernel checks memory and swap together first: with equal limits only this counter
		// rises
		{"memory", "memory.memsw.failcnt", "", func(s *LimitHits, n int64) { s.Memory += n }},
		{"pids", "pids.events", "max", func(s *LimitHits, n int64) { s.PIDs += n }},
	},
}

// LimitHits reads how often each limit was hit. Remove deletes the counts, so call LimitHits before
// Remove.
func (g *Group) LimitHits() (LimitHits, error) { return readCounters(g, hitCounters[g.tree.kind]) }

// readCounters reads counters. A file or a key that this kernel does not have counts as 0.
func readCounters[T any](g *Group, counters []counter[T]) (T, error) {
	var total T
	for _, c := range counters {
		for _, d := range g.dirs {
			if c.controller != "" && !d.hasController(c.controller) {
				continue
			}
			text, err := read(d.folder, c.file)
			if isMissing(err) {
				continue
			} else if err != nil {
				return total, err
			}
			n, err := parseCounter(text, c.key)
			if err != nil {
				return total, fmt.Errorf("read %s/%s: %w", d.folder.Name(), c.file, err)
			}
			c.add(&total, n)
		}
	}
	return total, nil
}

// parseCounter reads a kernel's file: the only number in it or, with a key, the number in the line
// "key number" (cgroup-v2, "Flat keyed"); 0 if there is no such line. A number too large for an
// int64 becomes the largest int64.
func parseCounter(text, key string) (int64, error) {
	if key == "" {
		return parseNumber(strings.TrimSuffix(text, "\n"))
	}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if ok && name == key {
			return parseNumber(value)
		}
	}
	return 0, nil
}

func parseNumber(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("number %.40q: %w", text, err)
	}
	return int64(min(n, math.MaxInt64)), nil
}
