package cgroup

import (
	"slices"
	"strings"
	"testing"
)

// benchTree returns a Tree on this system's usable cgroup v1 hierarchies, otherwise on ordinary
// folders.
func benchTree(b *testing.B) *Tree {
	b.Helper()
	o, have, why := realV1(b, usefulControllers[KindV1]...)
	if slices.Contains(have, "pids") || slices.Contains(have, "memory") {
		b.Logf("cgroup v1 with %s", strings.Join(have, ", "))
		return open(b, o)
	}
	b.Logf("on an ordinary folder, because %s", why)
	k, o := newFakeV1(b)
	b.Cleanup(func() { k.writes = nil })
	return open(b, o)
}

// BenchmarkMakeGroup makes a worker's group with every limit, adds a process, and removes the
// group. (The process moves back to its own group, because it goes on.)
func BenchmarkMakeGroup(b *testing.B) {
	tree := benchTree(b)
	s := startShell(b, nil, "")
	limits := Limits{Memory: 1 << 30, PIDs: 256, CPUWeight: 50, IOWeight: 50}
	for b.Loop() {
		g, err := tree.MakeGroup(testName(), limits)
		if err != nil {
			b.Fatal(err)
		}
		if err := g.AddProcess(s.pid()); err != nil {
			b.Fatal(err)
		}
		for _, h := range tree.hierarchies {
			if err := tree.moveProcess(h.dir, s.pid()); err != nil {
				b.Fatal(err)
			}
		}
		if err := g.Remove(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGroupFolders makes and removes only the folders of a group.
func BenchmarkGroupFolders(b *testing.B) {
	tree := benchTree(b)
	for b.Loop() {
		for _, h := range tree.hierarchies {
			if err := tree.kernel.mkdir(h.dir, testName()); err != nil {
				b.Fatal(err)
			}
			if err := tree.kernel.rmdir(h.dir, testName()); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkReadCounters reads a group's counters.
func BenchmarkReadCounters(b *testing.B) {
	g := makeGroup(b, benchTree(b), Limits{PIDs: 256})
	for b.Loop() {
		if _, err := g.Usage(); err != nil {
			b.Fatal(err)
		}
		if _, err := g.LimitHits(); err != nil {
			b.Fatal(err)
		}
	}
}
