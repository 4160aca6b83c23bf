package cgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// fake is a kernel whose hierarchies are ordinary folders. It keeps the rules of cgroups(7) and
// cgroup-v2 that matter here: the files of a new group, which groups can be removed, no processes
// beside groups with controllers, one group for each process. It enforces no limits; tests write
// the counters.
type fake struct {
	t    testing.TB
	root string
	// the files of a new group, by controller; "" has the files of every group
	files map[string]map[string]string

	mu     sync.Mutex // guards the folders against the goroutine that waits for killed processes
	writes []string   // writes so far: path beneath root, "=", text
	fail   map[string]error
}

// filesV2 omits io.weight and memory.swap.max, which some kernels lack.
var filesV2 = map[string]map[string]string{
	"": {
		"cgroup.procs": "", "cgroup.subtree_control": "", "cgroup.type": "domain\n", "cgroup.kill": "",
		"cpu.stat": "usage_usec 0\nuser_usec 0\n",
	},
	"memory": {
		"memory.min": "0\n", "memory.max": "max\n", "memory.high": "max\n",
		"memory.current": "0\n", "memory.peak": "0\n",
		"memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n",
	},
	"pids": {"pids.max": "max\n", "pids.current": "0\n", "pids.events": "max 0\n"},
	"cpu":  {"cpu.weight": "100\n"},
	"io":   {"io.bfq.weight": "default 100\n"},
}

var filesV1 = map[string]map[string]string{
	"": {"cgroup.procs": ""},
	"memory": {
		"memory.limit_in_bytes": "9223372036854771712\n", "memory.usage_in_bytes": "0\n", "memory.failcnt": "0\n",
		"memory.max_usage_in_bytes":   "0\n",
		"memory.memsw.limit_in_bytes": "9223372036854771712\n", "memory.memsw.failcnt": "0\n",
		"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n",
	},
	"pids":    {"pids.max": "max\n", "pids.current": "0\n", "pids.events": "max 0\n"},
	"cpu":     {"cpu.shares": "1024\n"},
	"cpuacct": {"cpuacct.usage": "0\n"},
	"blkio":   {"blkio.bfq.weight": "100\n"},
}

// newFakeV2 makes a system with the group of a unit. The test is in that group.
func newFakeV2(t testing.TB, controllers string) (*fake, Options) {
	k := &fake{t: t, root: t.TempDir(), files: filesV2, fail: map[string]error{}}
	k.folder("", map[string]string{
		"cgroup.controllers": controllers, "cgroup.subtree_control": controllers, "cgroup.procs": "1\n", "cpu.stat": "",
	})
	for _, dir := range []string{"system.slice", "system.slice/mews.service"} {
		if err := os.Mkdir(filepath.Join(k.root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		k.populate(filepath.Join(k.root, dir))
		k.put(dir+"/cgroup.subtree_control", controllers)
	}
	k.put("system.slice/mews.service/cgroup.subtree_control", "")
	k.put("system.slice/mews.service/cgroup.procs", fmt.Sprintln(os.Getpid()))
	return k, Options{Root: k.root, Self: k.self("0::/system.slice/mews.service\n"), kernel: k}
}

// newFakeV1 makes hierarchies like systemd, with links.
func newFakeV1(t testing.TB) (*fake, Options) {
	k := &fake{t: t, root: t.TempDir(), files: filesV1, fail: map[string]error{}}
	for _, dir := range []string{"memory", "pids", "cpu,cpuacct", "blkio", "devices"} {
		if err := os.Mkdir(filepath.Join(k.root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		k.populate(filepath.Join(k.root, dir))
	}
	for _, link := range []string{"cpu", "cpuacct"} {
		if err := os.Symlink("cpu,cpuacct", filepath.Join(k.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	self := "9:name=systemd:/\n6:devices:/\n5:pids:/\n4:memory:/\n3:cpu,cpuacct:/\n2:blkio:/\n1:perf_event:/\n0::/\n"
	return k, Options{Root: k.root, Self: k.self(self), kernel: k}
}

// self sets the contents of /proc/self/cgroup, and returns the path of that file.
func (k *fake) self(text string) string {
	file := filepath.Join(k.t.TempDir(), "self")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		k.t.Fatal(err)
	}
	return file
}

func (k *fake) folder(dir string, files map[string]string) {
	for name, text := range files {
		k.put(filepath.Join(dir, name), text)
	}
}

func (k *fake) put(file, text string) {
	if err := os.WriteFile(filepath.Join(k.root, file), []byte(text), 0o644); err != nil {
		k.t.Fatal(err)
	}
}

func (k *fake) get(file string) string {
	text, err := os.ReadFile(filepath.Join(k.root, file))
	if err != nil {
		k.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// controllers returns the controllers of a folder's groups. With v1 they are all controllers of the
// hierarchy, with v2 the controllers that the parent folder enables.
func (k *fake) controllers(dir string) []string {
	beneath, _ := filepath.Rel(k.root, dir)
	if k.isV1() {
		return strings.Split(strings.Split(beneath, "/")[0], ",")
	}
	return strings.Fields(k.get(filepath.Join(filepath.Dir(beneath), "cgroup.subtree_control")))
}

func (k *fake) isV1() bool { return k.files["blkio"] != nil }

// populate adds the missing files of a folder.
func (k *fake) populate(dir string) {
	beneath, _ := filepath.Rel(k.root, dir)
	have := k.controllers(dir)
	if !k.isV1() {
		k.put(filepath.Join(beneath, "cgroup.controllers"), strings.Join(have, " ")+"\n")
	}
	for _, c := range append([]string{""}, have...) {
		for name, text := range k.files[c] {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				k.put(filepath.Join(beneath, name), text)
			}
		}
	}
}

func (k *fake) mkdir(dir *os.File, name string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.fail["mkdir "+name]; err != nil {
		return err
	}
	full := filepath.Join(dir.Name(), name)
	if err := syscall.Mkdir(full, 0o755); err != nil {
		return err
	}
	k.populate(full)
	return nil
}

func (k *fake) rmdir(dir *os.File, name string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	full := filepath.Join(dir.Name(), name)
	entries, err := os.ReadDir(full)
	if err != nil {
		return unix.ENOENT
	}
	beneath, _ := filepath.Rel(k.root, full)
	if k.get(beneath+"/cgroup.procs") != "" || slices.ContainsFunc(entries, os.DirEntry.IsDir) {
		return unix.EBUSY
	}
	return os.RemoveAll(full)
}

func (k *fake) write(dir *os.File, name, text string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	file, _ := filepath.Rel(k.root, filepath.Join(dir.Name(), name))
	if err := k.fail[file]; err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(k.root, file)); err != nil {
		return unix.ENOENT
	}
	k.writes = append(k.writes, file+"="+text)
	act := map[string]func(string, string) error{
		"cgroup.procs": k.move, "cgroup.subtree_control": k.enable, "cgroup.kill": k.kill,
	}[name]
	if act == nil {
		k.put(file, text+"\n")
		return nil
	}
	return act(filepath.Dir(file), text)
}

// move moves a process from its group to dir.
func (k *fake) move(dir, pid string) error {
	if !k.isV1() && strings.Contains(dir, "/") && k.get(dir+"/cgroup.subtree_control") != "" {
		return unix.EBUSY
	}
	if n, err := strconv.Atoi(pid); err != nil || syscall.Kill(n, 0) == syscall.ESRCH {
		return unix.ESRCH
	}
	k.forget(pid, strings.Split(dir, "/")[0])
	k.put(dir+"/cgroup.procs", k.get(dir+"/cgroup.procs")+"\n"+pid+"\n")
	return nil
}

// forget removes a process from every group beneath top.
func (k *fake) forget(pid, top string) {
	err := filepath.WalkDir(filepath.Join(k.root, top), func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "cgroup.procs" {
			return err
		}
		file, _ := filepath.Rel(k.root, path)
		k.put(file, strings.Join(slices.DeleteFunc(strings.Fields(k.get(file)), func(p string) bool { return p == pid }), "\n"))
		return nil
	})
	if err != nil {
		k.t.Error(err)
	}
}

// removeEnded removes a process that has disappeared from the real kernel.
func (k *fake) removeEnded(pid int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forget(strconv.Itoa(pid), "")
}

// enable enables controllers.
func (k *fake) enable(dir, text string) error {
	controller := strings.TrimPrefix(text, "+")
	if !slices.Contains(strings.Fields(k.get(dir+"/cgroup.controllers")), controller) {
		return unix.ENOENT
	}
	if k.get(dir+"/cgroup.procs") != "" {
		return unix.EBUSY
	}
	on := strings.Fields(k.get(dir + "/cgroup.subtree_control"))
	if !slices.Contains(on, controller) {
		k.put(dir+"/cgroup.subtree_control", strings.Join(append(on, controller), " "))
	}
	groups, err := os.ReadDir(filepath.Join(k.root, dir))
	for _, g := range groups {
		if g.IsDir() {
			k.populate(filepath.Join(k.root, dir, g.Name()))
		}
	}
	return err
}

func (k *fake) kill(dir, text string) error {
	for _, pid := range strings.Fields(k.get(dir + "/cgroup.procs")) {
		n, err := strconv.Atoi(pid)
		if err == nil {
			err = syscall.Kill(n, syscall.SIGKILL)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// written returns the writes to a group's files since the last call.
func (k *fake) written(group string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var of []string
	for _, w := range k.writes {
		if strings.Contains(w, "/"+group+"/") {
			of = append(of, w)
		}
	}
	k.writes = nil
	return of
}
