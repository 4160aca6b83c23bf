package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

const unit = "system.slice/mews.service"

// TestDelegation_V2_MakesAndRemovesGroups plays the life of a spawner and its supervisor with
// cgroup v2.
func TestDelegation_V2_MakesAndRemovesGroups(t *testing.T) {
	k, o := newFakeV2(t, "cpuset cpu io memory hugetlb pids")
	supervisor := startShell(t, k, "")
	k.put(unit+"/cgroup.procs", strconv.Itoa(os.Getpid())+"\n"+strconv.Itoa(supervisor.pid())+"\n")
	tree := open(t, o)
	if want := "A person's processes are limited all together by cgroup v2: memory, pids, " +
		"cpu, io."; tree.Kind() != KindV2 || tree.Explanation() != want {
		t.Fatalf("kind %s, because %q, want %q", tree.Kind(), tree.Explanation(), want)
	}
	if _, err := tree.MakeGroup("alice", Limits{}); err == nil {
		t.Error("a group is made before there is room")
	}
	for range 2 { // PrepareGroups is called twice, and the second call changes nothing
		if err := tree.PrepareGroups(supervisor.pid()); err != nil {
			t.Fatal(err)
		}
	}
	if got := k.get(unit + "/cgroup.procs"); got != "" {
		t.Errorf("processes left beside the groups: %q", got)
	}
	if got := k.get(unit + "/cgroup.subtree_control"); got != "memory pids cpu io" {
		t.Errorf("switched on: %q", got)
	}
	k.written("")
	limits := Limits{Memory: 1 << 30, MemoryHigh: 900 << 20, PIDs: 256, CPUWeight: 50, IOWeight: 20}
	g, err := tree.MakeGroup("alice", limits)
	if err != nil {
		t.Fatal(err)
	}
	own := unit + "/user-alice/"
	if diff := cmp.Diff([]string{
		own + "memory.max=1073741824", own + "memory.high=943718400", own + "pids.max=256", own + "cpu.weight=50",
		own + "io.bfq.weight=20",
	}, k.written("user-alice")); diff != "" {
		t.Error(diff)
	}
	t.Run("counters", func(t *testing.T) { v2Counters(t, k, g) })
	t.Run("end", func(t *testing.T) { v2End(t, k, tree, g) })
}

func v2Counters(t *testing.T, k *fake, g *Group) {
	own := unit + "/user-alice/"
	k.folder(own, map[string]string{
		"memory.current": "4096\n", "memory.peak": "8192\n", "pids.current": "3\n", "pids.events": "max 7\n",
		"cpu.stat":      "usage_usec 1500\nuser_usec 1000\n",
		"memory.events": "low 0\nhigh 5\nmax 6\noom 2\noom_kill 1\noom_group_kill 0\n",
	})
	usage, err := g.Usage()
	if want := (Usage{Memory: 4096, MemoryPeak: 8192, PIDs: 3, CPU: 1500e3}); err != nil || usage != want {
		t.Errorf("usage %+v, %v, want %+v", usage, err, want)
	}
	hits, err := g.LimitHits()
	if want := (LimitHits{OOMKills: 1, Memory: 6, PIDs: 7}); err != nil || hits != want {
		t.Errorf("hits %+v, %v, want %+v", hits, err, want)
	}
	if err := os.Remove(k.root + "/" + own + "memory.peak"); err != nil { // Linux before 5.19 has no memory.peak
		t.Fatal(err)
	}
	if usage, err := g.Usage(); err != nil || usage.MemoryPeak != 0 || usage.Memory != 4096 {
		t.Errorf("without a peak: usage %+v, %v", usage, err)
	}
	k.put(own+"pids.events", "max many\n")
	if _, err := g.LimitHits(); err == nil || !strings.Contains(err.Error(), "pids.events") {
		t.Errorf("a counter that is no number: %v", err)
	}
}

func v2End(t *testing.T, k *fake, tree *Tree, g *Group) {
	if dir := g.Dir(); dir == nil || dir.Name() != k.root+"/"+unit+"/user-alice" {
		t.Fatalf("folder for clone3: %v", dir)
	}
	worker := startShell(t, k, "")
	if err := g.AddProcess(worker.pid()); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.MakeGroup("alice", Limits{}); !errors.Is(err, ErrGroupInUse) {
		t.Errorf("a group with processes is taken over: %v", err)
	}
	old, err := tree.FindGroup("alice") // as a new spawner does after the death of the first
	if err != nil {
		t.Fatal(err)
	}
	if err := old.KillProcesses(); err != nil {
		t.Fatal(err)
	}
	if got := worker.awaitSignal(); got != syscall.SIGKILL {
		t.Errorf("the worker ended with signal %v", got)
	}
	if err := old.Close(); err != nil {
		t.Error(err)
	}
	k.put(unit+"/user-alice/pids.events", "max 9\n")
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	anew, err := tree.MakeGroup("alice", Limits{PIDs: 9})
	if err != nil {
		t.Fatalf("an empty group is not taken over: %v", err)
	}
	if s, err := anew.LimitHits(); err != nil || s != (LimitHits{}) {
		t.Errorf("an old group taken over counts from %+v, %v", s, err)
	}
	if err := errors.Join(anew.Remove(), anew.Remove()); err != nil {
		t.Error(err)
	}
	if _, err := tree.FindGroup("alice"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("found after its removal: %v", err)
	}
}

// TestOpen_InMainGroup_UsesParentGroup: an earlier spawner, or systemd's DelegateSubgroup, has left
// this process in the main group.
func TestOpen_InMainGroup_UsesParentGroup(t *testing.T) {
	k, o := newFakeV2(t, "memory pids")
	if err := open(t, o).PrepareGroups(0); err != nil {
		t.Fatal(err)
	}
	o.Self = k.self("0::/" + unit + "/main\n")
	tree := open(t, o)
	if err := tree.PrepareGroups(0); err != nil {
		t.Fatal(err)
	}
	g := makeGroup(t, tree, Limits{PIDs: 3})
	if want := k.root + "/" + unit + "/user-" + testName(); g.Dir().Name() != want {
		t.Errorf("group %s, want %s", g.Dir().Name(), want)
	}
	if want := " There is no controller for: cpu, io."; !strings.HasSuffix(tree.Explanation(), want) {
		t.Errorf("why %q, want the end %q", tree.Explanation(), want)
	}
}

// TestPrepareGroups_Refused_ChangesNothing: if the system refuses a step of PrepareGroups, the
// groups are as before.
func TestPrepareGroups_Refused_ChangesNothing(t *testing.T) {
	own := strconv.Itoa(os.Getpid())
	for _, test := range []struct {
		name   string
		refuse string
		procs  string
		pid    int
		want   string
	}{
		{name: "somebody else is there", procs: own + "\n1\n", want: "processes [1] are there too"},
		{name: "a supervisor that has gone", procs: own + "\n", pid: 1 << 22, want: "put process 4194304 into group"},
		{name: "the controllers", refuse: unit + "/cgroup.subtree_control", procs: own + "\n", want: "controller memory on"},
		{name: "the leaf", refuse: "mkdir main", procs: own + "\n", want: "make group"},
	} {
		t.Run(test.name, func(t *testing.T) {
			k, o := newFakeV2(t, "memory pids cpu")
			k.put(unit+"/cgroup.procs", test.procs)
			tree := open(t, o)
			if test.refuse != "" {
				k.fail[test.refuse] = unix.EBUSY
			}
			err := tree.PrepareGroups(test.pid)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			if got := k.get(unit + "/cgroup.procs"); got != strings.TrimSpace(test.procs) {
				t.Errorf("processes %q, want them back: %q", got, test.procs)
			}
			if _, err := os.Stat(k.root + "/" + unit + "/main"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the leaf is still there: %v", err)
			}
			if _, err := tree.MakeGroup("alice", Limits{}); err == nil {
				t.Error("a group is made though there is no room")
			}
		})
	}
}

// TestPrepareGroups_NoCPUController_Succeeds: the kernel refuses the cpu controller, and the other
// controllers still work.
func TestPrepareGroups_NoCPUController_Succeeds(t *testing.T) {
	k, o := newFakeV2(t, "memory pids cpu")
	o.kernel = &refuser{kernel: k, text: "+cpu"}
	tree := open(t, o)
	if err := tree.PrepareGroups(0); err != nil {
		t.Fatal(err)
	}
	makeGroup(t, tree, Limits{PIDs: 3, CPUWeight: 7})
	if want := ": memory, pids. There is no controller for: cpu, io."; !strings.HasSuffix(tree.Explanation(), want) {
		t.Errorf("why %q, want the end %q", tree.Explanation(), want)
	}
}

// refuser is a kernel that refuses to write one text.
type refuser struct {
	kernel
	text string
}

func (r *refuser) write(dir *os.File, name, text string) error {
	if text == r.text {
		return unix.EINVAL
	}
	return r.kernel.write(dir, name, text)
}
