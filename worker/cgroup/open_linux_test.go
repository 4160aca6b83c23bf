package cgroup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// TestOpen_NoGroups_ExplainsWhy: missing groups are no error. Explanation tells people the reason,
// and MakeGroup refuses.
func TestOpen_NoGroups_ExplainsWhy(t *testing.T) {
	for _, test := range []struct {
		name string
		set  func(k *fake, o *Options)
		want string
	}{
		{"no kernel", func(k *fake, o *Options) { o.Self = k.root + "/nothing" }, "this kernel has no control groups"},
		{"no mount", func(k *fake, o *Options) { o.Root = k.root + "/nothing" }, "no control groups are mounted at"},
		{"an empty folder", func(k *fake, o *Options) { o.Root = k.t.TempDir() }, "cgroup v2 is not mounted at"},
		{"no memory", func(k *fake, o *Options) { k.put(unit+"/cgroup.controllers", "hugetlb cpu\n") }, `only ["hugetlb" "cpu"]`},
		{"read-only", func(k *fake, o *Options) { k.fail[probe()] = unix.EROFS }, "(read-only file system)"},
		{"not ours", func(k *fake, o *Options) { k.fail[probe()] = unix.EACCES }, "(permission denied)"},
		{"another namespace", func(k *fake, o *Options) { o.Self = k.self("0::/../../other\n") }, "is not to be seen"},
		{"a group that was deleted", func(k *fake, o *Options) { o.Self = k.self("0::/gone (deleted)\n") }, "is not to be seen"},
		{"a link", func(k *fake, o *Options) {
			if err := os.Symlink("mews.service", k.root+"/system.slice/link"); err != nil {
				k.t.Fatal(err)
			}
			o.Self = k.self("0::/system.slice/link\n")
		}, "is not to be seen"},
		{"no v2", func(k *fake, o *Options) { o.Self = k.self("4:memory:/\n") }, "memory is not mounted at"},
	} {
		t.Run(test.name, func(t *testing.T) {
			k, o := newFakeV2(t, "memory pids cpu io")
			test.set(k, &o)
			tree := open(t, o)
			if tree.Kind() != KindNone || !strings.Contains(tree.Explanation(), test.want) ||
				!strings.Contains(tree.Explanation(), "Delegate=yes") {
				t.Errorf("kind %s, why %q, want %q", tree.Kind(), tree.Explanation(), test.want)
			}
			if err := tree.PrepareGroups(0); err != nil {
				t.Error(err)
			}
			if _, err := tree.MakeGroup("alice", Limits{}); err == nil {
				t.Error("a group was made")
			}
		})
	}
}

func probe() string { return "mkdir mews-probe-" + strings.TrimPrefix(testName(), "mews-test-") }

func TestOpen_BadMembership_Fails(t *testing.T) {
	k, o := newFakeV2(t, "memory")
	o.Self = k.self("nonsense\n")
	if _, err := Open(o); err == nil || !strings.Contains(err.Error(), `line "nonsense"`) {
		t.Errorf("nonsense in /proc/self/cgroup: %v", err)
	}
	o.Self = k.root // the path of a folder, although a file is needed
	if _, err := Open(o); err == nil {
		t.Error("a folder for /proc/self/cgroup is no error")
	}
	k.fail[unit] = nil
	o.Self = k.self("0::/" + unit + "\n")
	if err := os.RemoveAll(k.root + "/" + unit + "/cgroup.controllers"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "cgroup.controllers") {
		t.Errorf("a group without its list of controllers: %v", err)
	}
}

// TestOpen_HybridHierarchy_UsesV1: the system has both versions, but only the hierarchies of v1
// have controllers.
func TestOpen_HybridHierarchy_UsesV1(t *testing.T) {
	k, o := newFakeV1(t)
	if err := os.Mkdir(k.root+"/unified", 0o755); err != nil {
		t.Fatal(err)
	}
	k.folder("unified", map[string]string{"cgroup.controllers": "hugetlb\n", "cgroup.procs": ""})
	tree := open(t, o)
	want := "A person's processes are limited all together by cgroup v1: memory, pids, cpu, blkio."
	if tree.Kind() != KindV1 || tree.Explanation() != want {
		t.Errorf("kind %s, why %q, want %q", tree.Kind(), tree.Explanation(), want)
	}
	if err := tree.PrepareGroups(os.Getppid()); err != nil || len(k.written("")) != 0 {
		t.Errorf("Main does something: %v", err)
	}
	g := makeGroup(t, tree, Limits{Memory: 1 << 30, MemoryHigh: 1 << 29, PIDs: 256, CPUWeight: 50, IOWeight: 200})
	name := "/" + g.name + "/"
	if diff := cmp.Diff([]string{
		"pids" + name + "pids.max=256", "memory" + name + "memory.limit_in_bytes=1073741824",
		"memory" + name + "memory.memsw.limit_in_bytes=1073741824",
		"cpu,cpuacct" + name + "cpu.shares=512", "blkio" + name + "blkio.bfq.weight=200",
	}, k.written(g.name)); diff != "" {
		t.Error(diff)
	}
	if g.Dir() != nil {
		t.Error("clone3 is offered a folder of cgroup v1")
	}
}

// TestMakeGroup_MissingController_SetsOthers: without some controllers the remaining controllers
// still limit.
func TestMakeGroup_MissingController_SetsOthers(t *testing.T) {
	k, o := newFakeV1(t)
	o.Self = k.self("5:pids:/\n4:memory:/elsewhere\n3:cpuset:/\n")
	tree := open(t, o)
	if want := " v1: pids. There is no controller for: memory, cpu, blkio."; tree.Kind() != KindV1 ||
		!strings.HasSuffix(tree.Explanation(), want) {
		t.Errorf("kind %s, why %q, want the end %q", tree.Kind(), tree.Explanation(), want)
	}
	g := makeGroup(t, tree, Limits{Memory: 1 << 30, PIDs: 5, CPUWeight: 3})
	if diff := cmp.Diff([]string{"pids/" + g.name + "/pids.max=5"}, k.written(g.name)); diff != "" {
		t.Error(diff)
	}
}

func TestOpen_V1WithoutLimits_IsUnusable(t *testing.T) {
	k, o := newFakeV1(t)
	o.Self = k.self("3:cpu,cpuacct:/\n2:blkio:/\n")
	tree := open(t, o)
	if tree.Kind() != KindNone || !strings.Contains(tree.Explanation(),
		"no controller of cgroup v1 for memory or pids") {
		t.Errorf("kind %s, why %q", tree.Kind(), tree.Explanation())
	}
}

func TestMakeGroup_BadNameOrLimit_IsRefused(t *testing.T) {
	_, o := newFakeV1(t)
	tree := open(t, o)
	for name, want := range map[string]bool{
		"alice": true, "a-b_c9": true, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false, "": false, ".": false,
		"..": false, "../x": false, "a/b": false, "Alice": false, "a\n": false, "a.b": false, "ä": false, "a\x00": false,
	} {
		g, err := tree.MakeGroup(name, Limits{})
		if (err == nil) != want {
			t.Errorf("%q: %v, want it to be right: %t", name, err, want)
		}
		if _, err := tree.FindGroup(name); (err == nil) != want {
			t.Errorf("find %q: %v", name, err)
		}
		if g != nil {
			if err := g.Remove(); err != nil {
				t.Error(err)
			}
		}
	}
	for _, l := range []Limits{
		{Memory: -1}, {MemoryHigh: -1}, {PIDs: -1}, {PIDs: 1<<22 + 1}, {CPUWeight: 10001}, {IOWeight: -5},
	} {
		if _, err := tree.MakeGroup("alice", l); err == nil {
			t.Errorf("%+v is accepted", l)
		}
	}
}

// TestMakeGroup_RefusedLimit_LeavesNoGroup: if the kernel refuses a limit, no group is left.
func TestMakeGroup_RefusedLimit_LeavesNoGroup(t *testing.T) {
	k, o := newFakeV1(t)
	tree := open(t, o)
	k.fail["memory/user-alice/memory.limit_in_bytes"] = unix.EINVAL
	_, err := tree.MakeGroup("alice", Limits{Memory: 4096, PIDs: 4})
	if err == nil || !strings.Contains(err.Error(), "memory.limit_in_bytes") {
		t.Errorf("got %v", err)
	}
	left, err := filepath.Glob(k.root + "/*/user-alice")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
