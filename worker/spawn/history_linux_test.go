package spawn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
	"mews/worker/sandbox"
)

// actAsKeeper is a worker with a file history. It answers each line of its input: "keep TEXT"
// replaces a file of the history, "kept" reads it, and any other line is a script for a shell that
// it starts as a program.
func actAsKeeper() {
	inherited, err := sandbox.TakeInherited()
	if err != nil || unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) != nil {
		fmt.Println("take the history:", err)
		os.Exit(1)
	}
	programs := sandbox.NewToolStarter(sandbox.Tier(os.Getenv(sandbox.TierVariable)), inherited.ToolRules)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		said := answerKeeper(inherited.History, programs, lines.Text())
		fmt.Println(strings.ReplaceAll(strings.TrimSpace(said), "\n", "; "))
	}
}

func answerKeeper(history *os.File, programs *sandbox.ToolStarter, line string) string {
	const file, part = "pack", "pack.part"
	folder := int(history.Fd())
	if line == "kept" {
		fd, err := unix.Openat(folder, file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err.Error()
		}
		defer unix.Close(fd)
		text := make([]byte, 64)
		n, _ := unix.Read(fd, text)
		return string(text[:n])
	}
	if text, ok := strings.CutPrefix(line, "keep "); ok {
		fd, err := unix.Openat(folder, part, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC|unix.O_CLOEXEC, 0o600)
		if err != nil {
			return err.Error()
		}
		defer unix.Close(fd)
		if _, err = unix.Write(fd, []byte(text)); err == nil {
			err = unix.Fsync(fd)
		}
		if err == nil {
			err = unix.Renameat(folder, part, folder, file)
		}
		if err == nil {
			err = history.Sync()
		}
		return fmt.Sprint("kept: ", err)
	}
	cmd := exec.Command("/bin/sh", "-c", line)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := programs.Start(cmd); err != nil {
		return "start: " + err.Error()
	}
	if err := cmd.Wait(); err != nil {
		return out.String() + err.Error()
	}
	return out.String()
}

// startKeeper starts a spawner whose workers are keepers.
func startKeeper(t *testing.T, attr *syscall.SysProcAttr, tier string, policy ...string) *harness {
	t.Helper()
	dir := makeHomesFolder(t)
	program := filepath.Join(dir, "keeper")
	binary, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	policy = append([]string{"worker=" + program, "sandbox=" + tier, "sandbox_min=off"}, policy...)
	r := start(t, setup{attr: attr, policy: policy})
	if r.ready.Tier != tier {
		t.Fatalf("ready: %+v", r.ready)
	}
	r.openRoot(attr)
	return r
}

// openRoot lets the spawner make folders in the folder of homes, as a service's group may.
func (r *harness) openRoot(attr *syscall.SysProcAttr) {
	r.t.Helper()
	group := os.Getgid()
	if attr != nil {
		group = testSpawnerUID
	}
	if err := os.Chown(r.root, -1, group); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Chmod(r.root, 0o731|os.ModeSticky); err != nil {
		r.t.Fatal(err)
	}
}

// eachKeeper runs a test with every privilege, in every tier that keeps a history.
func eachKeeper(t *testing.T, test func(t *testing.T, r *harness)) {
	for privilege, attr := range spawners() {
		for _, tier := range []string{"accounts", "namespaces", "landlock"} {
			if privilege == "nothing" && tier == "accounts" {
				continue
			}
			t.Run(privilege+" "+tier, func(t *testing.T) { test(t, startKeeper(t, attr, tier)) })
		}
	}
}

// lookEverywhere is a script that looks for the history's file by its path on the host, beside the
// home, and by the descriptors and folders of every process. It tries to read and to write.
const lookEverywhere = `for dir in %s ../%[2]s ../../*/%[2]s /proc/self/fd/* /proc/[0-9]*/fd/* /proc/[0-9]*/root%[1]s /proc/[0-9]*/cwd/../%[2]s /proc/[0-9]*/fd/4 /proc/[0-9]*/fd/5; do
cat $dir/pack 2>/dev/null && echo "read by $dir"
{ echo spoiled >$dir/pack; } 2>/dev/null && echo "written by $dir"
{ echo >$dir/new; } 2>/dev/null && echo "made by $dir"
rm $dir/pack 2>/dev/null && echo "deleted by $dir"
mv $dir/pack mine 2>/dev/null && echo "moved by $dir"
ln $dir/pack mine 2>/dev/null && echo "linked by $dir"
done; env | grep MEWS_[HT]O; echo looked`

// TestHistory_EachTier_ProgramsReachNothing: a worker keeps files in its history. Its programs find
// the history by no path and no descriptor. The folder is made for the worker's account, and is
// there again for the next worker.
func TestHistory_EachTier_ProgramsReachNothing(t *testing.T) {
	eachKeeper(t, func(t *testing.T, r *harness) {
		m := spawnwire.SpawnRequest{HistoryRoot: r.root, HistoryPath: "ann.history"}
		w := r.workerOf(m)
		w.wantAnswer("keep diary", "kept: <nil>")
		path := filepath.Join(r.root, m.HistoryPath)
		look := strings.ReplaceAll(fmt.Sprintf(lookEverywhere, path, m.HistoryPath), "\n", "; ")
		w.wantAnswer(strings.ReplaceAll(look, "do; ", "do "), "looked")
		r.seen(w, path)
		w.wantAnswer("echo mine >mine && cat mine && ls /usr/bin/env && cat $HOME/mine", "mine; /usr/bin/env; mine")
		w.wantAnswer("kept", "diary")
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		owner, _, _ := strings.Cut(ownerOf(t, path), " ")
		if info.Mode() != os.ModeDir|0o700 || owner != fmt.Sprint(workersUID()) {
			t.Errorf("the folder has the mode %v and belongs to %s", info.Mode(), owner)
		}
		r.kill(w)
		if err := os.Chmod(path, 0); err != nil { // a program may do that without namespaces
			t.Fatal(err)
		}
		next := r.workerOf(m)
		next.wantAnswer("kept", "diary")
		next.wantAnswer("keep more", "kept: <nil>")
		if info, err := os.Lstat(path); err != nil || info.Mode() != os.ModeDir|0o700 {
			t.Errorf("the folder is %v, %v", info, err)
		}
		other := r.workerOf(spawnwire.SpawnRequest{HistoryRoot: r.root, HistoryPath: "bob.history"})
		other.wantAnswer("kept", "no such file or directory")
		r.kill(other)
		r.kill(next)
	})
}

// seen checks that the script finds a folder that is not hidden.
func (r *harness) seen(w *testWorker, history string) {
	r.t.Helper()
	home := filepath.Join(r.root, fmt.Sprint("home", w.id))
	if r.ready.Tier != "landlock" {
		home = "/home"
	}
	w.wantAnswer("mkdir open && echo mine >open/pack", "")
	look := strings.ReplaceAll(fmt.Sprintf(lookEverywhere, home+"/open", filepath.Base(history)), "\n", "; ")
	w.write(strings.ReplaceAll(look, "do; ", "do "))
	if got := w.readLine(); !strings.HasPrefix(got, "mine; read by "+home+"/open; written by "+home+"/open; made by") ||
		!strings.Contains(got, "deleted by "+home+"/open") {
		r.t.Errorf("the script finds in an open folder: %s", got)
	}
}

// TestHistory_UserWithOwnUID_OwnsFolder: the spawner makes the history for the worker's own uid,
// even if the home belongs to the shared account and is shared with the user.
func TestHistory_UserWithOwnUID_OwnsFolder(t *testing.T) {
	if !asRoot() {
		t.Skip("only root can start processes of another account")
	}
	for privilege, attr := range spawners() {
		t.Run(privilege, func(t *testing.T) {
			r := startKeeper(t, attr, "accounts", fmt.Sprintf("people=%d-%d", firstPerson, lastPerson))
			m := spawnwire.SpawnRequest{UID: firstPerson, GID: firstPerson, MakeHome: true, HistoryRoot: r.root,
				HistoryPath: "ann.history"}
			w := r.workerOf(m)
			w.wantAnswer("keep diary", "kept: <nil>")
			r.kill(w)
			own := fmt.Sprint(firstPerson, " ", firstPerson)
			for _, path := range []string{"ann.history", "ann.history/pack"} {
				owner := ownerOf(t, filepath.Join(r.root, path))
				uid, _, _ := strings.Cut(owner, " ")
				if uid != fmt.Sprint(firstPerson) || privilege == "root" && owner != own {
					t.Errorf("%s belongs to %s", path, owner)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(r.root, "*.new")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			if privilege != "root" {
				return
			}
			m.MakeHome = false
			shared := r.workerOf(m) // its home belongs to the shared account
			shared.wantAnswer("kept", "diary")
			shared.wantAnswer("id -u", fmt.Sprint(firstPerson))
			r.kill(shared)
		})
	}
}

// wantNoHistory starts a worker whose history can't be used, and checks the reason.
func (r *harness) wantNoHistory(root, path, reason string) {
	r.t.Helper()
	w := r.workerOf(spawnwire.SpawnRequest{HistoryRoot: root, HistoryPath: path})
	w.write("kept")
	if said := w.readLine(); said != noHistory {
		r.t.Errorf("%s in %s: the worker says %q", path, root, said)
	}
	if !strings.Contains(w.fault, reason) || !strings.Contains(w.fault, filepath.Join(root, path)) {
		r.t.Errorf("%s in %s: the fault is %q, want %q", path, root, w.fault, reason)
	}
	r.kill(w)
}

// TestHistory_UnusableFolder_IsNotUsed: a folder that somebody has replaced, or that can't
// be made, never stops a worker. The spawner answers why it is not used.
func TestHistory_UnusableFolder_IsNotUsed(t *testing.T) {
	eachKeeper(t, func(t *testing.T, r *harness) {
		beside := makeHomesFolder(t)
		r.makeFolder("real.history")
		for name, err := range map[string]error{
			"link": os.Symlink("real.history", filepath.Join(r.root, "link.history")),
			"out":  os.Symlink(beside, filepath.Join(r.root, "out.history")),
			"lost": os.Symlink("nowhere", filepath.Join(r.root, "lost.history")),
			"file": os.WriteFile(filepath.Join(r.root, "file.history"), nil, 0o600),
			"root": os.Symlink(r.root, filepath.Join(beside, "root")),
		} {
			if err != nil {
				t.Fatal(name, err)
			}
		}
		for _, c := range []struct{ root, path, reason string }{
			{r.root, "link.history", "symbolic links"},
			{r.root, "out.history", "symbolic links"},
			{r.root, "lost.history", "symbolic links"},
			{r.root, "file.history", "not a directory"},
			{r.root, strings.Repeat("n", 300) + ".history", "name too long"},
			{"/no/such", "ann.history", "open /no/such"},
			{filepath.Join(beside, "root"), "ann.history", "symbolic link in this path"},
			{"/proc", "ann.history", ""}, // where nobody makes a folder
		} {
			r.wantNoHistory(c.root, c.path, c.reason)
		}
		good := r.workerOf(spawnwire.SpawnRequest{HistoryRoot: r.root, HistoryPath: "real.history"})
		good.wantAnswer("kept", "no such file or directory") // the spawner still answers
		if good.fault != "" {
			t.Errorf("a good folder has the fault %q", good.fault)
		}
	})
}

// TestHistory_BadRequest_IsRefused: a bad request comes from a faulty supervisor.
func TestHistory_BadRequest_IsRefused(t *testing.T) {
	eachKeeper(t, func(t *testing.T, r *harness) {
		r.makeFolder("home")
		r.makeFolder("real.history")
		r.makeFolder("plain")
		for _, c := range []struct{ root, path, reason string }{
			{r.root, "plain", "ends in .history"},
			{r.root, "home", "ends in .history"},
			{r.root, "", "ends in .history"},
			{r.root, ".", "ends in .history"},
			{r.root, "..", "ends in .history"},
			{r.root, ".history", "ends in .history"},
			{r.root, "../real.history", "without slashes"},
			{r.root, "home/real.history", "without slashes"},
			{r.root, "/tmp/real.history", "without slashes"},
			{"", "ann.history", "absolute"},
			{"tmp", "ann.history", "absolute"},
		} {
			r.last++
			r.mustRefuse(spawnwire.SpawnRequest{ID: r.last, Root: r.root, Path: "home", Profile: "worker",
				HistoryRoot: c.root, HistoryPath: c.path}, c.reason)
		}
		r.last++
		review := spawnwire.SpawnRequest{ID: r.last, Profile: "review", HistoryRoot: r.root, HistoryPath: "a.history"}
		r.mustRefuse(review, "has none")
	})
}

// TestHistory_OfOtherAccount_IsNotUsed: the worker starts without a history of another account, and
// that folder does not change.
func TestHistory_OfOtherAccount_IsNotUsed(t *testing.T) {
	if !asRoot() {
		t.Skip("only root can give a folder away")
	}
	eachKeeper(t, func(t *testing.T, r *harness) {
		path := r.makeFolder("ann.history")
		for _, owner := range []int{0, 54499} {
			if err := os.Chown(path, owner, owner); err != nil {
				t.Fatal(err)
			}
			r.wantNoHistory(r.root, "ann.history", fmt.Sprint("belongs to uid ", owner))
			if left, _, _ := strings.Cut(ownerOf(t, path), " "); left != fmt.Sprint(owner) {
				t.Errorf("it belongs to %s now", left)
			}
		}
	})
}

// TestHistory_OutsideAllowedRoots_IsNotUsed: a history must be in a root of the policy.
func TestHistory_OutsideAllowedRoots_IsNotUsed(t *testing.T) {
	allowed := makeHomesFolder(t)
	r := startSpawner(t, "root="+allowed)
	home := filepath.Join(allowed, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	giveToWorkers(t, home)
	for i, root := range []string{r.root, allowed + "/", home, filepath.Dir(allowed)} {
		socket, stderr := r.request(spawnwire.SpawnRequest{ID: uint64(i) + 1, Root: allowed, Path: "home",
			Profile: "worker", HistoryRoot: root, HistoryPath: "ann.history"})
		started := nextMessage[spawnwire.StartedMessage](r)
		if !strings.Contains(started.HistoryFault, "allowed roots") {
			t.Errorf("%s: started with %+v", root, started)
		}
		if err := errors.Join(socket.Close(), stderr.Close()); err != nil {
			t.Error(err)
		}
		nextMessage[spawnwire.ExitedMessage](r)
		made, _ := filepath.Glob(filepath.Join(root, "ann.history*"))
		if len(made) > 0 {
			t.Errorf("made nevertheless: %q", made)
		}
	}
}

// TestHistory_WithoutWalls_IsRefused: without walls every program would reach the history.
func TestHistory_WithoutWalls_IsRefused(t *testing.T) {
	r := startSpawner(t, "sandbox=off", "sandbox_min=off")
	r.makeFolder("home")
	r.mustRefuse(spawnwire.SpawnRequest{ID: 1, Root: r.root, Path: "home", Profile: "worker", HistoryRoot: r.root,
		HistoryPath: "ann.history"}, "no walls has none")
}
