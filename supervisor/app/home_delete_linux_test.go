package app_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mews/supervisor/app/apptest"
	"mews/supervisor/placement"
)

// unitUID is the uid of a service that runs as under systemd. No account of the machine has it.
const unitUID = 54361

// unitRigs counts the rigs of this process, so that tests that run at the same time use different
// uids.
var unitRigs atomic.Int32

// unitRig is a service as systemd's unit starts it: mews has no privileges, and the spawner gives
// each user a uid.
type unitRig struct {
	*apptest.Service
	firstUID int
}

func newUnitRig(t *testing.T) *unitRig {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can start a process as another account")
	}
	r := &unitRig{apptest.NewService(t, ""), 80_000 + os.Getpid()%200*60 + 20*int(unitRigs.Add(1)%3)}
	people := fmt.Sprintf("%d-%d", r.firstUID, r.firstUID+19)
	r.AppendConfig(fmt.Sprintf("  - {name: ann, role: admin}\nworker: {uids: %s}\n", people))
	state, policy := filepath.Join(r.Dir, "state"), filepath.Join(r.Dir, "policy")
	text := fmt.Sprintf("worker %s/mews-worker\nsandbox accounts\npeople %s\nroot %s\nroot %s/homes\n", r.Bin, people,
		state, state)
	for _, err := range []error{
		os.WriteFile(policy, []byte(text), 0o644), os.Chmod(r.Config, 0o644), os.Mkdir(state, 0o711), os.Chown(state,
			unitUID, unitUID),
		os.Chmod(r.Dir, 0o711), os.Chmod(filepath.Dir(r.Dir), 0o711), os.Chmod(r.Bin, 0o711),
		os.Chmod(filepath.Dir(r.Bin), 0o711),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r.Command = func() *exec.Cmd {
		cmd := exec.Command(filepath.Join(r.Bin, "mews-spawner"), "--policy", policy, "--", filepath.Join(r.Bin,
			"mews"), "run", "--config", r.Config)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unitUID, Gid: unitUID},
			AmbientCaps: []uintptr{unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_KILL}}
		return cmd
	}
	return r
}

// verb returns a command of mews, for root.
func (r *unitRig) verb(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(r.T.Context(), filepath.Join(r.Bin, "mews"), append(args, "--config", r.Config)...)
	cmd.Dir = r.Dir
	return cmd
}

// must runs a command of mews, and fails if the output lacks want.
func (r *unitRig) must(want string, args ...string) string {
	r.T.Helper()
	out, err := r.verb(args...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		r.T.Fatalf("mews %q: %v: %s\n%s", args, err, out, r.LogTail())
	}
	return string(out)
}

// addUser adds a user and makes them speak, so that they have a home that only their uid may read.
func (r *unitRig) addUser(name string) (home string) {
	r.T.Helper()
	r.must("", "user", "add", name)
	talk := r.verb("chat", "--user", name)
	talk.Stdin = strings.NewReader("create tea.md with zyzzyva\n")
	if out, err := talk.CombinedOutput(); err != nil {
		r.T.Fatalf("%v: %s", err, out)
	}
	home = filepath.Join(r.Dir, "state", "homes", name)
	info, err := os.Stat(home)
	if err != nil || int(placement.OwnerUID(info)) < r.firstUID || info.Mode().Perm() != 0o700 {
		r.T.Fatalf("the home of %s: %+v, %v", name, info, err)
	}
	closed := filepath.Join(home, "closed")
	uid := int(placement.OwnerUID(info))
	for _, err := range []error{os.Mkdir(closed, 0o700), os.WriteFile(filepath.Join(closed, "file"), nil, 0o600),
		os.Chown(closed, uid, uid), os.Chmod(closed, 0)} {
		if err != nil {
			r.T.Fatal(err)
		}
	}
	return home
}

// checkGone fails if any data of a user is left, except the audit log and the retired uid.
func (r *unitRig) checkGone(name string) {
	r.T.Helper()
	if _, err := os.Lstat(filepath.Join(r.Dir, "state", "homes", name)); !errors.Is(err, fs.ErrNotExist) {
		r.T.Errorf("the home of %s: %v", name, err)
	}
	if _, err := os.Lstat(r.history(name)); !errors.Is(err, fs.ErrNotExist) {
		r.T.Errorf("the file history of %s: %v", name, err)
	}
	for _, table := range []string{"host_uid", "inbox", "turn", "message", "outbox", "conversation", "effect"} {
		if n := r.QueryCount("SELECT count(*) FROM "+table+" WHERE user = ?", name); n != 0 {
			r.T.Errorf("%d rows of %s are left in %s", n, name, table)
		}
	}
	if n := r.QueryCount("SELECT count(*) FROM audit WHERE user = ? AND action = 'user.deleted'", name); n != 1 {
		r.T.Errorf("%s was said to be deleted %d times", name, n)
	}
}

// A home that only its user's account may read is packed and deleted, by a running service and
// without one.
func TestUserDelete_UnreadableHome_LeavesNothing(t *testing.T) {
	t.Parallel()
	r := newUnitRig(t)
	r.Start()
	for _, name := range []string{"zoe", "yan", "xia"} {
		r.addUser(name)
	}
	r.must("", "user", "export", "zoe", "--output", "zoe.tgz")
	r.must("", "user", "remove", "zoe")
	r.must("", "user", "export", "zoe", "--output", "removed.tgz")
	for _, file := range []string{"zoe.tgz", "removed.tgz"} {
		r.checkExport(file)
	}
	r.must("zoe is deleted.", "user", "delete", "zoe", "--yes")
	r.checkGone("zoe")
	r.Stop()

	r.must("", "user", "remove", "yan")
	r.must("", "user", "remove", "xia")
	asOwner := r.verb("user", "delete", "yan", "--yes")
	asOwner.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unitUID, Gid: unitUID}}
	out, err := asOwner.CombinedOutput()
	if err == nil || strings.Contains(string(out), "is deleted") || !strings.Contains(string(out),
		"homes/yan could not be emptied") ||
		!strings.Contains(string(out), "Run this as root") ||
		r.QueryCount("SELECT count(*) FROM message WHERE user = 'yan'") == 0 {
		t.Errorf("the service's account, which can't: %v: %s", err, out)
	}
	other := r.verb("user", "list")
	other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unitUID + 1, Gid: unitUID + 1}}
	if out, err := other.CombinedOutput(); err == nil || !strings.Contains(string(out),
		fmt.Sprintf("belongs to user id %d", unitUID)) {
		t.Errorf("another account: %v: %s", err, out)
	}
	r.must("", "user", "export", "yan", "--output", "yan.tgz")
	r.checkExport("yan.tgz")
	r.must("yan is deleted.", "user", "delete", "yan", "--yes")
	r.checkGone("yan")

	foreign := filepath.Join(r.Dir, "state", "homes", "xia", "roots", "file")
	if err := errors.Join(os.Mkdir(filepath.Dir(foreign), 0o755), os.WriteFile(foreign, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	out, err = r.verb("user", "delete", "xia", "--yes").CombinedOutput()
	if err == nil || strings.Contains(string(out), "is deleted") || !strings.Contains(string(out),
		`"roots/file": permission denied`) ||
		r.QueryCount("SELECT count(*) FROM message WHERE user = 'xia'") == 0 {
		t.Errorf("a folder of root: %v: %s", err, out)
	}
	if err := os.RemoveAll(filepath.Dir(foreign)); err != nil {
		t.Fatal(err)
	}
	r.must("xia is deleted.", "user", "delete", "xia", "--yes")
	r.checkGone("xia")
	if n := r.QueryCount("SELECT count(*) FROM host_uid WHERE user IS NULL"); n != 3 {
		t.Errorf("%d uids are retired", n)
	}
	err = filepath.WalkDir(filepath.Join(r.Dir, "state"), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := e.Info(); err != nil || placement.OwnerUID(info) == 0 {
			t.Errorf("%s is root's: %v", path, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	r.Start()
	r.Stop()
}

// checkExport fails unless an export contains this file of the home.
func (r *unitRig) checkExport(file string) {
	r.T.Helper()
	out, err := exec.CommandContext(r.T.Context(), "sh", "-c", "tar -xOzf "+filepath.Join(r.Dir,
		file)+" files.tar | tar -xO files/tea.md").CombinedOutput()
	if err != nil || string(out) != "zyzzyva\n" && string(out) != "zyzzyva" {
		r.T.Errorf("%s: %v: %q", file, err, out)
	}
}

// A deletion is killed at any moment. The next deletion completes the work, and nothing of the user
// is left.
func TestUserDelete_KilledAnywhere_RetryCompletes(t *testing.T) {
	t.Parallel()
	r := newUnitRig(t)
	for i := range 7 {
		name := fmt.Sprintf("u%d", i)
		r.must("", "user", "add", name)
		r.must("", "user", "invite", name)
		home := filepath.Join(r.Dir, "state", "homes", name)
		for n := range 100 {
			dir := filepath.Join(home, fmt.Sprint(n))
			if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "f"), nil,
				0o600)); err != nil {
				t.Fatal(err)
			}
		}
		history := r.history(name)
		if err := errors.Join(os.Mkdir(history, 0o700), os.WriteFile(filepath.Join(history, "000001.pack"), nil, 0o600),
			os.WriteFile(filepath.Join(history, "index"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		uid := r.firstUID + i
		if out, err := exec.CommandContext(t.Context(), "chown", "-R", fmt.Sprintf("%d:%d", uid, uid),
			home, history).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		r.must("", "user", "remove", name)
		first := r.verb("user", "delete", name, "--yes")
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		killer := time.AfterFunc(time.Duration(i)*70*time.Millisecond, func() { _ = first.Process.Kill() })
		finished := first.Wait() == nil
		killer.Stop()
		out, err := r.verb("user", "delete", name, "--yes").CombinedOutput()
		if gone := strings.Contains(string(out), "There is no data of"); err != nil && !gone || err == nil &&
			!strings.Contains(string(out), "is deleted.") {
			t.Errorf("%s, after the first ended %v: %v: %s", name, finished, err, out)
		}
		r.checkGone(name)
	}
}
