package spawn

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
	"mews/worker/sandbox"
)

// withCapabilities returns the attributes that a service manager gives a spawner.
func withCapabilities(caps ...uintptr) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: testSpawnerUID, Gid: testSpawnerUID}, AmbientCaps: caps}
}

// spawners returns the spawners that can be started here, by their privilege.
func spawners() map[string]*syscall.SysProcAttr {
	if !asRoot() {
		return map[string]*syscall.SysProcAttr{"nothing": nil}
	}
	return map[string]*syscall.SysProcAttr{
		"root":   nil,
		"switch": withCapabilities(unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_KILL),
		"mount": withCapabilities(unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_KILL, unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP,
			unix.CAP_DAC_READ_SEARCH),
	}
}

// eachSpawner runs a test with every privilege and every tier that has namespaces.
func eachSpawner(t *testing.T, test func(t *testing.T, r *harness)) {
	for privilege, attr := range spawners() {
		for _, tier := range []string{"accounts", "namespaces"} {
			if privilege == "nothing" && tier == "accounts" {
				continue
			}
			t.Run(privilege+" "+tier, func(t *testing.T) {
				r := start(t, setup{attr: attr, policy: []string{"worker=/bin/sh", "sandbox=" + tier}})
				if r.ready.Tier != tier {
					t.Fatalf("ready: %+v", r.ready)
				}
				test(t, r)
			})
		}
	}
}

func TestWorker_BehindWalls_SeesOnlyItsOwn(t *testing.T) {
	eachSpawner(t, func(t *testing.T, r *harness) {
		other, w := r.worker(), r.worker()
		r.checkWorker(w)
		checkStatus(t, w.pid, map[string]string{"Seccomp": "2", "CapBnd": "0000000000000000"})
		if got, want := statusOf(t, w.pid, "NSpid"), fmt.Sprint(w.pid, " 1"); got != want {
			t.Errorf("process ids %q, want %q", got, want)
		}
		want := []string{"MEWS_TIER=" + r.ready.Tier, "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/home"}
		if got := environment(t, w.pid); !slices.Equal(got, want) {
			t.Errorf("environment %q, want %q", got, want)
		}
		uid := fmt.Sprint(workersUID())
		w.wantAnswer(`echo "$$ $(pwd) $(uname -n) $(id -u) $(id -un)"`, "1 /home mews "+uid+" user")
		w.wantAnswer(`set -- /proc/[0-9]*; echo $#`, "1") // the worker sees only itself
		other.wantAnswer("echo secret >/home/mine && echo written", "written")
		w.wantAnswer(`[ -e /home/mine ] || [ -e `+r.root+` ] && echo seen || echo unseen`, "unseen")
		w.wantAnswer("ls /workspaces /run | tr '\\n' ' '; echo", "/run:  /workspaces: ")
		text, err := os.ReadFile(filepath.Join(r.root, "home1", "mine"))
		if err != nil || string(text) != "secret\n" {
			t.Errorf("the home's file on the host: %q, %v", text, err)
		}
	})
}

// TestWalls_WorkerEnds_NothingSurvives: a process that leaves its session and its parent becomes a
// child of the worker, which is process 1 there, and ends with the worker.
func TestWalls_WorkerEnds_NothingSurvives(t *testing.T) {
	eachSpawner(t, func(t *testing.T, r *harness) {
		other, w := r.worker(), r.worker()
		w.wantAnswer(`(setsid sh -c 'trap "" TERM HUP; sleep 1000; :' <&- >&- 2>&- &); sleep 1000 & echo made`, "made")
		below := childrenOf(t, w.pid)
		if len(below) != 2 {
			t.Fatalf("the worker has the children %d, want two", below)
		}
		r.kill(w)
		for _, pid := range append(below, w.pid) {
			if !isGone(pid) {
				t.Errorf("process %d is left", pid)
			}
		}
		other.checkAlive()
	})
}

// TestDetectPrivilege_Incomplete_IsNone: a spawner that cannot end workers changes no account.
func TestDetectPrivilege_Incomplete_IsNone(t *testing.T) {
	if !asRoot() {
		t.Skip("only root can give a process capabilities")
	}
	r := start(t, setup{attr: withCapabilities(unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP),
		policy: []string{"worker=/bin/sh", fmt.Sprintf("account=%d:%d", testSpawnerUID, testSpawnerUID)}})
	if r.ready.Tier != "namespaces" {
		t.Errorf("ready: %+v", r.ready)
	}
	r.makeFolder("home")
	r.mustRefuse(spawnwire.SpawnRequest{ID: 1, UID: testWorkerUID, GID: testWorkerUID, Root: r.root, Path: "home",
		Profile: "worker"},
		"cannot change accounts")
}

func TestWorker_BehindWalls_GetsSIGTERM(t *testing.T) {
	eachSpawner(t, func(t *testing.T, r *harness) {
		w := r.worker()
		w.wantAnswer("trap 'exit 5' TERM; echo ready; sleep 1000 & wait", "ready")
		r.send(spawnwire.KillRequest{ID: w.id, Signal: uint32(syscall.SIGTERM)})
		if got := nextMessage[spawnwire.ExitedMessage](r); got.ID != w.id ||
			syscall.WaitStatus(got.Status).ExitStatus() != 5 {
			t.Errorf("%+v, want a status of 5", got)
		}
	})
}

func TestWorker_BehindWalls_DiesWithSpawner(t *testing.T) {
	eachSpawner(t, func(t *testing.T, r *harness) {
		w := r.worker()
		w.checkAlive()
		if err := r.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		awaitGone(t, w.pid)
	})
}

// TestWorkspaces_EachKind_IsMounted mounts a writable workspace, a read-only workspace, and a
// folder at its own path.
func TestWorkspaces_EachKind_IsMounted(t *testing.T) {
	eachSpawner(t, func(t *testing.T, r *harness) {
		for _, name := range []string{"project", "docs"} {
			r.makeFolder(name)
		}
		r.makeFolder("project/.git")
		// A folder of the system. Folders of tests are beneath /tmp, but a worker has its own /tmp.
		const path = "/usr/share"
		w := r.workerOf(spawnwire.SpawnRequest{Binds: []spawnwire.BindMount{
			{Name: "project", Root: r.root, Path: "project", Writable: true},
			{Name: "read me", Root: r.root, Path: "docs"},
			{Root: path, Path: "."},
		}})
		write := func(to string) string { return `echo text >"` + to + `/file" && echo written || echo refused` }
		w.wantAnswer("exec 2>/dev/null; ls -A /workspaces/project", ".git")
		w.wantAnswer(write("/workspaces/project"), "written")
		w.wantAnswer(write("/workspaces/read me"), "refused")
		w.wantAnswer(write("/workspaces"), "refused")
		w.wantAnswer(write(path), "refused")
		if _, err := os.Stat(filepath.Join(r.root, "project", "file")); err != nil {
			t.Error(err)
		}
	})
}

// TestBind_FolderSwapped_IsRefused: stage one finds another folder than the folder that the spawner
// has checked.
func TestBind_FolderSwapped_IsRefused(t *testing.T) {
	t.Chdir(t.TempDir()) // starting a stage changes the working directory
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	privilege, err := sandbox.OwnPrivilege()
	if err != nil {
		t.Fatal(err)
	}
	root := makeHomesFolder(t)
	for name, swap := range map[string]func(*sandbox.Plan){
		"a workspace": func(p *sandbox.Plan) { p.Binds[0].Inode++ },
		"a device":    func(p *sandbox.Plan) { p.Binds[0].Device++ },
		"the home":    func(p *sandbox.Plan) { p.Home.Inode++ },
	} {
		dir := filepath.Join(root, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		giveToWorkers(t, dir)
		bind, home, err := sandbox.OpenBindMount(root, name)
		if err != nil {
			t.Fatal(err)
		}
		p := sandbox.Plan{Tier: sandbox.TierNamespaces, Profile: sandbox.ProfileWorker, UID: workersUID(), GID: workersGID(),
			Home: bind, Binds: []sandbox.BindMount{{Name: "w", Root: root, Path: name, Device: bind.Device,
				Inode: bind.Inode}},
			Probe: true}
		if said := runStage(t, p, privilege, home); said != "" {
			t.Errorf("%s as it was: %s", name, said)
		}
		swap(&p)
		if said := runStage(t, p, privilege, home); !strings.Contains(said, "is another folder than the one that was checked") {
			t.Errorf("%s swapped: said %q", name, said)
		}
		spawnwire.CloseDescriptors([]int{home})
	}
}

func workersGID() int {
	if asRoot() {
		return testWorkerUID
	}
	return os.Getgid()
}

// runStage runs stage one of a plan that executes nothing, and returns its standard error.
func runStage(t *testing.T, p sandbox.Plan, privilege sandbox.Privilege, home int) string {
	t.Helper()
	launch, err := p.NewLaunch(privilege)
	if err != nil {
		t.Fatal(err)
	}
	hear, say, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hear.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	pid, err := launch.StartStageOne(home, null.Fd(), null.Fd(), say.Fd(), null.Fd())
	if err != nil {
		t.Fatal(err)
	}
	say.Close()
	said, err := io.ReadAll(hear)
	if err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || (status.ExitStatus() == 0) != (len(said) == 0) {
		t.Errorf("the stage ended with %v, %v, and said %q", status.ExitStatus(), err, said)
	}
	return string(said)
}

// TestAccountFilter_OtherAccount_IsRefused: the filter for the policy's accounts holds on every
// thread.
func TestAccountFilter_OtherAccount_IsRefused(t *testing.T) {
	if !asRoot() {
		t.Skip("only root can become another account")
	}
	if out, err := command(t, "become").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	r := startSpawner(t)
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", r.cmd.Process.Pid))
	if err != nil || len(threads) < 2 {
		t.Fatal(threads, err)
	}
	for _, thread := range threads {
		var tid int
		if _, err := fmt.Sscan(thread.Name(), &tid); err != nil {
			t.Fatal(err)
		}
		checkStatus(t, tid, map[string]string{"Seccomp": "2", "NoNewPrivs": "1"})
	}
}

// tryOtherAccounts is a role for root: it tries every call that changes accounts, with other
// accounts.
func tryOtherAccounts([]string) error {
	runtime.LockOSThread()
	if err := prepare(); err != nil {
		return err
	}
	p := Policy{UIDs: sandbox.IDRange{From: 2000, To: 3000}, Account: Account{testWorkerUID, testWorkerUID}}
	if err := p.limitAccounts(sandbox.PrivilegeRoot, Account{}); err != nil {
		return err
	}
	none := ^uintptr(0)
	for _, id := range []uintptr{0, 1, 999, 1999, 3001, testWorkerUID - 1, testWorkerUID + 1, 65534, 1<<32 - 2} {
		for name, call := range map[string][4]uintptr{
			"setuid": {unix.SYS_SETUID, id}, "setgid": {unix.SYS_SETGID, id},
			"setfsuid": {unix.SYS_SETFSUID, id}, "setfsgid": {unix.SYS_SETFSGID, id},
			"setreuid, real": {unix.SYS_SETREUID, id, none}, "setreuid": {unix.SYS_SETREUID, none, id},
			"setregid, real": {unix.SYS_SETREGID, id, none}, "setregid": {unix.SYS_SETREGID, none, id},
			"setresuid, real": {unix.SYS_SETRESUID, id, none, none}, "setresuid": {unix.SYS_SETRESUID, none, id, none},
			"setresuid, saved": {unix.SYS_SETRESUID, none, none, id}, "setresgid, real": {unix.SYS_SETRESGID, id, none, none},
			"setresgid": {unix.SYS_SETRESGID, none, id, none}, "setresgid, saved": {unix.SYS_SETRESGID, none, none, id},
		} {
			if _, _, e := syscall.RawSyscall(call[0], call[1], call[2], call[3]); e != syscall.EPERM {
				return fmt.Errorf("%s to %d: %v, want %v", name, id, e, syscall.EPERM)
			}
		}
	}
	for _, id := range []uintptr{2000, 3000, testWorkerUID} {
		for _, call := range []uintptr{unix.SYS_SETRESGID, unix.SYS_SETRESUID} {
			// changes only the saved uid, so that the next call can be tried
			if _, _, e := syscall.RawSyscall(call, none, none, id); e != 0 {
				return fmt.Errorf("call %d to %d: %w", call, id, e)
			}
		}
	}
	return nil
}
