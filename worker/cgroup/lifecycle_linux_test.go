package cgroup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// eater is a shell script that takes memory until a limit stops it: the limit of the group, or its
// own much higher limit.
const eater = `ulimit -v 1000000; s=xxxxxxxxxxxxxxxx; while :; do s=$s$s; done`

// forker is a shell script that starts more processes than the group allows.
const forker = `i=0; while [ $i -lt 20 ]; do sleep 1000 & i=$((i+1)); done; read never`

const memoryLimit = 48 << 20

// testRole tells what the kernel does when a limit is hit. A real kernel stops the started shell by
// itself. With the fake kernel the test stops the shell.
type testRole struct {
	script  string
	limits  Limits
	pretend func(k *fake, s *shell)
	hits    func(LimitHits) int64
}

var testRoles = map[string]testRole{
	"memory": {
		script: eater,
		limits: Limits{Memory: memoryLimit},
		pretend: func(k *fake, s *shell) {
			k.put("memory/user-"+testName()+"/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")
			k.put("memory/user-"+testName()+"/memory.failcnt", "17\n")
			_ = s.cmd.Process.Kill()
		},
		hits: func(s LimitHits) int64 { return min(s.OOMKills, s.Memory) },
	},
	"pids": {
		script: forker,
		limits: Limits{PIDs: 5},
		pretend: func(k *fake, s *shell) {
			k.put("pids/user-"+testName()+"/pids.events", "max 3\n")
			k.put("pids/user-"+testName()+"/pids.current", "5\n")
			_ = s.cmd.Process.Kill()
		},
		hits: func(s LimitHits) int64 { return s.PIDs },
	},
}

// TestGroupLimit_V1_EndsProgram: a program exceeds a limit of cgroup v1, with the real kernel if
// this system allows it, otherwise with the fake kernel.
func TestGroupLimit_V1_EndsProgram(t *testing.T) {
	for controller, act := range testRoles {
		t.Run(controller, func(t *testing.T) {
			o, have, why := realV1(t, controller, "cpuacct")
			var k *fake
			if !slices.Contains(have, controller) {
				t.Logf("with a pretended kernel, because %s", why)
				k, o = newFakeV1(t)
			}
			tree := open(t, o)
			if tree.Kind() != KindV1 {
				t.Fatalf("kind %s: %s", tree.Kind(), tree.Explanation())
			}
			g := makeGroup(t, tree, act.limits)
			s := startShell(t, k, act.script)
			if err := g.AddProcess(s.pid()); err != nil {
				t.Fatal(err)
			}
			if before, err := g.LimitHits(); err != nil || before != (LimitHits{}) {
				t.Fatalf("before anything: hits %+v, %v", before, err)
			}
			s.write("go")
			if k != nil {
				act.pretend(k, s)
			}
			if controller == "memory" && s.awaitSignal() != syscall.SIGKILL {
				t.Errorf("the shell was not killed: %v", s.cmd.ProcessState)
			}
			<-s.ended // a shell that cannot fork gives up
			hits, err := g.LimitHits()
			if err != nil || act.hits(hits) < 1 {
				t.Errorf("hits %+v, %v", hits, err)
			}
			usage, err := g.Usage()
			if err != nil || usage.MemoryPeak > memoryLimit || (controller == "pids" && (usage.PIDs < 1 || usage.PIDs > 5)) {
				t.Errorf("usage %+v, %v", usage, err)
			}
			if err := errors.Join(g.KillProcesses(), g.Remove()); err != nil {
				t.Errorf("what it left cannot be ended: %v", err)
			}
			if _, err := tree.FindGroup(testName()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("after its removal the group is found: %v", err)
			}
		})
	}
}

// TestKill_V1_EndsAllProcesses: with cgroup v1 KillProcesses signals one process after the other.
func TestKill_V1_EndsAllProcesses(t *testing.T) {
	o, have, why := realV1(t, "pids", "cpu", "cpuacct", "blkio")
	var k *fake
	if !slices.Contains(have, "pids") {
		t.Logf("with a pretended kernel, because %s", why)
		k, o = newFakeV1(t)
	}
	tree := open(t, o)
	g := makeGroup(t, tree, Limits{PIDs: 100, CPUWeight: 50, IOWeight: 50})
	s := startShell(t, k, `for i in 1 2 3 4 5 6 7 8; do (setsid sleep 1000 <&- & ) ; done; echo started; read never`)
	if err := g.AddProcess(s.pid()); err != nil {
		t.Fatal(err)
	}
	want := 1
	// the fake kernel does not follow forks, so its group has only the shell
	if k == nil {
		s.write("go")
		s.readLine()
		want = 9
	}
	pids, err := processes(g.dirs[0].folder)
	if err != nil || len(pids) != want {
		t.Errorf("processes %d, %v, want %d", pids, err, want)
	}
	if _, err := tree.MakeGroup(testName(), Limits{}); !errors.Is(err, ErrGroupInUse) {
		t.Errorf("a group with processes is taken over: %v", err)
	}
	if err := g.KillProcesses(); err != nil {
		t.Fatal(err)
	}
	if s.awaitSignal() != syscall.SIGKILL {
		t.Errorf("the shell: %v", s.cmd.ProcessState)
	}
	if err := g.Remove(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); err == nil && !zombie(pid) {
			t.Errorf("process %d is alive", pid)
		}
	}
}

func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

// delegatedVar makes the test binary the process of a unit with Delegate=yes.
const delegatedVar = "MEWS_TEST_DELEGATED"

// TestDelegatedCgroup_RealV2_LimitsWorkers: a spawner in its own folder prepares groups, and its
// workers hit their limits. Without real cgroup v2, only the tests with the fake kernel
// (v2_linux_test.go) cover this.
func TestDelegatedCgroup_RealV2_LimitsWorkers(t *testing.T) {
	if why := noRealV2(); why != "" {
		t.Skipf("optional: with a pretended kernel alone, because %s", why)
	}
	for name, uid := range map[string]uint32{"root": 0, "nobody": 65534} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("/proc/self/exe")
			cmd.Env = append(os.Environ(), delegatedVar+"=1")
			cmd.SysProcAttr = &syscall.SysProcAttr{
				UseCgroupFD: true, CgroupFD: int(delegate(t, int(uid)).Fd()), Credential: &syscall.Credential{Uid: uid, Gid: uid},
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := "kind v2\neater killed, born in user-mews: true\noom kills: true, memory hits: true\n" +
				"fork hits: true, usage: true\nremoved\n"
			if diff := cmp.Diff(want, string(out)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const realRoot = "/sys/fs/cgroup"

// noRealV2 explains why cgroup v2 cannot be used here. The tests need root and the top group, with
// memory and pids enabled.
func noRealV2() string {
	var st unix.Statfs_t
	if err := unix.Statfs(realRoot, &st); err != nil || st.Type != unix.CGROUP2_SUPER_MAGIC {
		return "there is none mounted at " + realRoot
	}
	self, err := os.ReadFile("/proc/self/cgroup")
	if err != nil || string(self) != "0::/\n" || os.Geteuid() != 0 || st.Flags&unix.ST_RDONLY != 0 {
		return "this is not root at the top of a writable one"
	}
	handed, err := os.ReadFile(realRoot + "/cgroup.subtree_control")
	if err != nil || !strings.Contains(string(handed), "memory") || !strings.Contains(string(handed), "pids") {
		return "it hands no memory and pids down"
	}
	return ""
}

// delegate makes a group as systemd does for a unit with Delegate=yes and User=.
func delegate(t *testing.T, uid int) *os.File {
	dir := filepath.Join(realRoot, testName())
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatalf("the top is mounted writable and this is root: %v", err)
	}
	for _, name := range []string{"", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"} {
		if err := os.Chown(filepath.Join(dir, name), uid, uid); err != nil {
			t.Error(err)
		}
	}
	scope, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(scope.Close(), os.Remove(dir+"/"+mainGroup), os.Remove(dir)); err != nil {
			t.Error(err)
		}
	})
	return scope
}

// runDelegated is the process of the unit.
func runDelegated(out io.Writer) error {
	tree, err := Open(Options{})
	if err != nil {
		return err
	}
	if err := errors.Join(tree.PrepareGroups(0), tree.PrepareGroups(0)); err != nil {
		return err
	}
	fmt.Fprintln(out, "kind", tree.Kind())
	g, err := tree.MakeGroup("mews", Limits{Memory: memoryLimit, MemoryHigh: memoryLimit, PIDs: 5, CPUWeight: 50,
		IOWeight: 50})
	if err != nil {
		return err
	}
	into := func(script string) *exec.Cmd {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(g.Dir().Fd())}
		return cmd
	}
	born, err := into("cat /proc/self/cgroup").Output()
	if err != nil {
		return err
	}
	eating := into(eater).Run()
	fmt.Fprintf(out, "eater %s, born in user-mews: %t\n", strings.TrimPrefix(fmt.Sprint(eating), "signal: "),
		strings.HasSuffix(string(born), "/user-mews\n"))
	_ = into(forker).Run() // the shell gives up when it cannot fork
	hits, err := g.LimitHits()
	if err != nil {
		return err
	}
	usage, err := g.Usage()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "oom kills: %t, memory hits: %t\n", hits.OOMKills > 0, hits.Memory > 0)
	fmt.Fprintf(out, "fork hits: %t, usage: %t\n", hits.PIDs > 0,
		usage.PIDs > 0 && usage.PIDs <= 5 && usage.CPU > 0 && usage.Memory > 0)
	if err := errors.Join(g.KillProcesses(), g.Remove()); err != nil {
		return err
	}
	fmt.Fprintln(out, "removed")
	return nil
}
