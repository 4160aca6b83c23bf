package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
)

// TestMain runs the tests or, under the program's name, the program itself.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "mews-spawner" {
		main()
		syscall.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	testUID  = 54361 // uid that no machine uses, and no test of another package
	deadline = time.Minute
)

// program returns a command that runs the installed program. If the tests run as root, the command
// sees no control groups. The control groups of the tests may belong to another program, which
// expects no other processes in them.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mews-spawner")
	exe, err := os.Executable()
	if err == nil {
		err = os.Symlink(exe, path)
	}
	if err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		return exec.Command(path, args...)
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c",
		`mount -t tmpfs none /sys/fs/cgroup && exec "$@"`, "sh", path}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	return cmd
}

func TestArguments_Invalid_ExitWithReason(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy")
	if err := os.WriteFile(policy, []byte("worker /bin/sh\nuids 0-5000\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	loose := policy + ".loose"
	if err := errors.Join(os.WriteFile(loose, []byte("worker /bin/sh\n"), 0o644), os.Chmod(loose, 0o666)); err != nil {
		t.Fatal(err)
	}
	wrong := "no system account is"
	if os.Getuid() != 0 {
		wrong = "must be root's"
	}
	for name, c := range map[string]struct {
		args   []string
		status int
		said   string
	}{
		"a question":              {[]string{"--version"}, 0, "mews-spawner dev\n"},
		"nothing":                 {nil, 1, strings.Replace(textWithPolicy, "%w", "worker is missing", 1)},
		"an unknown word":         {[]string{"--help"}, 1, `there is no key "--help"`},
		"no socket":               {[]string{"worker=/bin/sh"}, 1, strings.TrimSuffix(textWithSocket, ": %w")},
		"stage one without plan":  {[]string{"stage-one"}, 1, "read the plan"},
		"stage zero without plan": {[]string{"stage-zero"}, 1, "read the plan"},
		"no program":              {[]string{"--policy", policy, "--"}, 1, "want mews-spawner --policy FILE -- PROGRAM"},
		"no policy":               {[]string{"--policy", policy + ".none", "--", "/bin/true"}, 1, "no such file"},
		"bad policy":              {[]string{"--policy", policy, "--", "/bin/true"}, 1, wrong},
		"a policy of everybody":   {[]string{"--policy", loose, "--", "/bin/true"}, 1, "nobody else's to write"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := program(t, c.args...)
			out, _ := cmd.CombinedOutput() // the exit status is compared below
			if got := cmd.ProcessState.ExitCode(); got != c.status || !strings.Contains(string(out), c.said) {
				t.Errorf("status %d, said %q; want %d, %q", got, out, c.status, c.said)
			}
		})
	}
}

// home makes a folder that the workers' account owns and can reach.
func home(t *testing.T) (dir string, account []string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "mews-home-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if os.Getuid() != 0 {
		return dir, nil
	}
	if err := os.Chown(dir, testUID, testUID); err != nil {
		t.Fatal(err)
	}
	return dir, []string{fmt.Sprintf("account=%d:%d", testUID, testUID)}
}

// TestSpawn_Worker_StartsAndEnds checks that the program executes itself as stage one, which
// becomes the worker.
func TestSpawn_Worker_StartsAndEnds(t *testing.T) {
	dir, account := home(t)
	conn, theirs, err := spawnwire.NewConnPair()
	if err != nil {
		t.Fatal(err)
	}
	cmd := program(t, append(account, "worker=/bin/sh")...)
	cmd.ExtraFiles, cmd.Stderr = []*os.File{theirs}, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(theirs.Close(), conn.SetReceiveDeadline(time.Now().Add(deadline))); err != nil {
		t.Fatal(err)
	}
	if m, _, err := conn.Receive(); err != nil || m.(spawnwire.ReadyMessage).Tier == "" {
		t.Fatalf("%+v, %v", m, err)
	}
	in, script, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(script, "[ $$ = 1 ] && [ $HOME = /home ] && exit 7\n"); err != nil {
		t.Fatal(err)
	}
	if err := conn.Send(spawnwire.SpawnRequest{ID: 1, Root: filepath.Dir(dir), Path: filepath.Base(dir),
		Profile: "worker"}, deadline,
		int(in.Fd()), int(os.Stderr.Fd())); err != nil {
		t.Fatal(err)
	}
	if m, _, err := conn.Receive(); err != nil || m.(spawnwire.StartedMessage).ID != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	m, _, err := conn.Receive()
	if exited, ok := m.(spawnwire.ExitedMessage); err != nil || !ok ||
		syscall.WaitStatus(exited.Status).ExitStatus() != 7 {
		t.Errorf("%+v, %v", m, err)
	}
	if err := errors.Join(in.Close(), script.Close(), conn.Close(), cmd.Wait()); err != nil {
		t.Error(err)
	}
}

// TestSupervise_StartsMews: the spawner starts mews, and ends with the status of mews.
func TestSupervise_StartsMews(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("a policy counts only if its file is root's")
	}
	dir, err := os.MkdirTemp("", "mews-policy-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	policy := filepath.Join(dir, "policy")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(policy, []byte("# of root\nworker /bin/sh\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	args := []string{"--policy", policy, "--", "/bin/sh", "-c",
		`[ "$MEWS_SPAWNER_FD" = 3 ] && grep -q "CapEff:.0000000000000000" /proc/self/status && exit 7`}
	for name, c := range map[string]struct {
		account *syscall.Credential
		status  int
		said    string
	}{
		"as the service": {&syscall.Credential{Uid: testUID, Gid: testUID}, 7, "mews-spawner: /bin/sh ended with status 7\n"},
		"as root":        {nil, 1, "would start mews as root"},
	} {
		cmd := program(t, args...)
		if c.account != nil { // the account can make no control groups, and cannot reach root's folders
			cmd = exec.Command("/proc/self/exe", args...)
			cmd.Args[0] = "mews-spawner"
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.account, AmbientCaps: []uintptr{unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_KILL}}
		}
		out, _ := cmd.CombinedOutput() // the exit status is compared below
		if got := cmd.ProcessState.ExitCode(); got != c.status || !strings.Contains(string(out), c.said) {
			t.Errorf("%s: status %d, said %q; want %d, %q", name, got, out, c.status, c.said)
		}
	}
}
