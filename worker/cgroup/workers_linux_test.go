package cgroup

import (
	"os"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWorkers_CommonLimits_HoldAroundGroups: the users' groups lie in a group with the limits of
// all workers. The main group keeps its memory. A later process finds and removes the groups there.
func TestWorkers_CommonLimits_HoldAroundGroups(t *testing.T) {
	k, o := newFakeV2(t, "cpu io memory pids")
	k.put(unit+"/cgroup.procs", strconv.Itoa(os.Getpid())+"\n")
	o.Workers = Limits{Memory: 800 << 20, MemoryHigh: 700 << 20, PIDs: 3072}
	tree := open(t, o)
	for range 2 {
		if err := tree.PrepareGroups(0); err != nil {
			t.Fatal(err)
		}
	}
	all := unit + "/workers/"
	if diff := cmp.Diff([]string{all + "memory.max=838860800", all + "memory.high=734003200", all + "pids.max=3072",
		all + "cgroup.subtree_control=+memory", all + "cgroup.subtree_control=+pids",
		all + "cgroup.subtree_control=+cpu", all + "cgroup.subtree_control=+io"}, k.written("workers")); diff != "" {
		t.Error(diff)
	}
	if got := k.get(unit + "/main/memory.min"); got != "67108864" {
		t.Errorf("the main group keeps %q", got)
	}
	g, err := tree.MakeGroup("7-1", Limits{PIDs: 256})
	if err != nil {
		t.Fatal(err)
	}
	if want := k.root + "/" + all + "user-7-1"; g.Dir().Name() != want {
		t.Errorf("made %s, want %s", g.Dir().Name(), want)
	}
	if err := tree.RemoveStaleGroups(func(name string) bool { return name == "7-1" }); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(k.root + "/" + all + "user-7-1"); !os.IsNotExist(err) {
		t.Errorf("a stale group stays: %v", err)
	}
}
