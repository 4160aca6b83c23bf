package cgroup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/sys/unix"
)

// TestOpen_LinksInHierarchy_AreNotFollowed plants links that lead out of the hierarchy.
func TestOpen_LinksInHierarchy_AreNotFollowed(t *testing.T) {
	k, o := newFakeV1(t)
	tree := open(t, o)
	outside := t.TempDir()
	for _, name := range []string{"pids.max", "cgroup.procs"} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte("precious"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, k.root+"/pids/user-bob"); err != nil {
		t.Fatal(err)
	}
	if g, err := tree.FindGroup("bob"); err == nil {
		t.Errorf("a link is found as group %v", g)
	}
	if _, err := tree.MakeGroup("bob", Limits{PIDs: 3}); err == nil {
		t.Error("a link is taken over")
	}
	g := makeGroup(t, tree, Limits{})
	own := k.root + "/pids/" + g.name
	if err := os.Remove(own + "/pids.max"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside+"/pids.max", own+"/pids.max"); err != nil {
		t.Fatal(err)
	}
	if err := (realKernel{}).write(g.dirs[0].folder, "pids.max", "7"); err != unix.ELOOP {
		t.Errorf("written through a link: %v", err)
	}
	if _, err := read(g.dirs[0].folder, "../../../"+filepath.Base(outside)+"/pids.max"); err == nil {
		t.Error("read by a way up")
	}
	for _, name := range []string{"pids.max", "cgroup.procs"} {
		if text, err := os.ReadFile(filepath.Join(outside, name)); err != nil || string(text) != "precious" {
			t.Errorf("%s outside: %q, %v", name, text, err)
		}
	}
}

// TestRead_PipeOrEndlessFile_IsRefused: reading a pipe or an endless file fails at once.
func TestRead_PipeOrEndlessFile_IsRefused(t *testing.T) {
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := unix.Mkfifo(dir.Name()+"/pipe", 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := read(dir, "pipe"); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a pipe is read: %v", err)
	}
	if err := (realKernel{}).write(dir, "pipe", "x"); err == nil {
		t.Error("a pipe is written")
	}
	if err := os.Truncate(create(t, dir.Name()+"/huge"), 1<<40); err != nil {
		t.Fatal(err)
	}
	if _, err := read(dir, "huge"); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a file without an end is read: %v", err)
	}
}

func create(t *testing.T, name string) string {
	t.Helper()
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestKill_ReusedPID_SparesOtherProcess: another process gets a pid of the group after the pid was
// read.
func TestKill_ReusedPID_SparesOtherProcess(t *testing.T) {
	_, o := newFakeV1(t)
	g := makeGroup(t, open(t, o), Limits{})
	bystander := exec.Command("cat")
	stdin, err := bystander.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	if err := killBatch(g.dirs[0].folder, []int{bystander.Process.Pid}); err != nil {
		t.Error(err)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := bystander.Wait(); err != nil {
		t.Errorf("it was killed: %v", err)
	}
}

// TestKill_UnkillableProcesses_AreNamed: the error names processes that cannot or must not be
// killed.
func TestKill_UnkillableProcesses_AreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"0\n":                             "outside of this process's pid namespace",
		strconv.Itoa(os.Getpid()) + "\n":  "it is this process",
		"4194304\n":                       "processes [4194304] are still there",
		"12\nthirteen\n":                  `pid "thirteen"`,
		strings.Repeat("4194304\n", 2e5):  "more than",
		"-1\n":                            `pid "-1"`,
		strconv.FormatUint(1<<63, 10):     "out of range",
		"0\n4194304\n4194304\n4194305\n0": "processes [0 4194304 4194305] are still there",
	} {
		k, o := newFakeV1(t)
		g, err := open(t, o).MakeGroup("alice", Limits{PIDs: 5})
		if err != nil {
			t.Fatal(err)
		}
		k.put("pids/user-alice/cgroup.procs", text)
		synctest.Test(t, func(t *testing.T) {
			if err := g.KillProcesses(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%.40q: got %.200v, want %q", text, err, want)
			}
			if err := g.Remove(); err == nil {
				t.Errorf("%.40q: a group with processes was removed", text)
			}
		})
		if got := k.get("pids/user-alice/pids.max"); got != "0" {
			t.Errorf("%.40q: forks are not forbidden: pids.max is %s", text, got)
		}
		k.put("pids/user-alice/cgroup.procs", "")
		if err := g.Remove(); err != nil {
			t.Error(err)
		}
	}
}

// TestKill_OldKernel_SignalsEachProcess uses cgroup v2 before Linux 5.14, which has no cgroup.kill.
func TestKill_OldKernel_SignalsEachProcess(t *testing.T) {
	k, o := newFakeV2(t, "memory pids")
	tree := open(t, o)
	if err := tree.PrepareGroups(0); err != nil {
		t.Fatal(err)
	}
	g := makeGroup(t, tree, Limits{PIDs: 5})
	if err := os.Remove(g.Dir().Name() + "/cgroup.kill"); err != nil {
		t.Fatal(err)
	}
	s := startShell(t, k, "")
	if err := g.AddProcess(s.pid()); err != nil {
		t.Fatal(err)
	}
	if err := g.KillProcesses(); err != nil {
		t.Fatal(err)
	}
	if s.awaitSignal() != unix.SIGKILL {
		t.Errorf("the shell: %v", s.cmd.ProcessState)
	}
}

func TestAddProcess_BadPID_IsRefused(t *testing.T) {
	_, o := newFakeV1(t)
	g := makeGroup(t, open(t, o), Limits{})
	for _, pid := range []int{-1, 0, 1 << 22} { // for the kernel 0 means this process
		if err := g.AddProcess(pid); err == nil {
			t.Errorf("process %d was added", pid)
		}
	}
}
