package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mews/worker/sandbox/escape"
)

// Accounts of the escape tests. No machine has them.
const (
	sharedUID  = 54440 // uid of all workers and the service, if they share one account
	serviceUID = 54441 // uid of the service, if people have accounts
	personUID  = 54442 // uid of the worker's user
	otherUID   = 54443 // uid of another user
)

// accounts holds the account of each role.
type accounts struct{ person, other, service int }

func sharedAccount(uid int) accounts { return accounts{uid, uid, uid} }

func ownAccounts() accounts { return accounts{personUID, otherUID, serviceUID} }

// testHost is everything outside the walls: the victims, and the home of the attacking worker.
type testHost struct {
	t       testing.TB
	dir     string // folder that all accounts may enter
	home    string
	program string // path of the test binary, executable for all accounts
	people  accounts
	victims escape.Victims
}

func newTestHost(t testing.TB, program string, people accounts) *testHost {
	t.Helper()
	y := &testHost{t: t, people: people, dir: openFolder(t)}
	y.home, y.program = filepath.Join(y.dir, "own", "home"), filepath.Join(y.dir, "program")
	y.victims.Secret = fmt.Sprintf("a secret of %s %d", t.Name(), os.Getpid())
	y.copyProgram(program)
	y.makeFolders()
	y.startServices()
	y.victims.VictimPID = y.victim(people.person)
	y.victims.SupervisorPID = y.victim(people.service)
	var err error
	y.victims.PIDNamespace, err = os.Readlink("/proc/self/ns/pid")
	y.must(err)
	return y
}

func (y *testHost) must(err error) {
	y.t.Helper()
	if err != nil {
		y.t.Fatal(err)
	}
}

// openFolder makes a folder that all accounts may enter, and in which programs can be set-uid.
func openFolder(t testing.TB) string {
	t.Helper()
	for _, parent := range []string{os.TempDir(), "/var/tmp"} {
		var st unix.Statfs_t
		if err := unix.Statfs(parent, &st); err != nil || st.Flags&(unix.ST_NOSUID|unix.ST_NOEXEC) != 0 {
			continue
		}
		dir, err := os.MkdirTemp(parent, "mews-escapes-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	t.Fatal("no temporary folder was found where a program can be executed and set-uid")
	return ""
}

// plainBinary returns the test binary, built as workers are. It needs no library, and the race
// detector would reserve more memory than workers may have.
func plainBinary(t testing.TB) string {
	t.Helper()
	info, _ := debug.ReadBuildInfo()
	if info == nil || slices.Contains(info.Settings, debug.BuildSetting{Key: "CGO_ENABLED", Value: "0"}) {
		return "/proc/self/exe"
	}
	dir, err := buildPlain()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "plain")
}

// buildPlain builds the plain binary, once, into a folder that TestMain removes.
var buildPlain = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "mews-sandbox-")
	if err != nil {
		return "", err
	}
	plainDir = dir
	build := exec.Command("go", "test", "-c", "-vet=off", "-trimpath", "-o", filepath.Join(dir, "plain"), "mews/worker/sandbox")
	build.Dir, build.Env = packageDir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the test binary without the race detector: %w\n%s", err, out)
	}
	return dir, nil
})

var plainDir string // folder of the built binary; "" until it is built

// packageDir is the working directory at the start, before any test changes it.
var packageDir, _ = os.Getwd()

// copyProgram copies the binary to a folder that all accounts can enter. As root it also makes a
// copy as a set-uid program.
func (y *testHost) copyProgram(from string) {
	binary, err := os.ReadFile(from)
	y.must(err)
	y.must(os.WriteFile(y.program, binary, 0o755))
	y.must(os.Chmod(y.program, 0o755))
	if os.Getuid() == 0 {
		y.victims.SetUID = filepath.Join(y.dir, uidName)
		y.must(os.WriteFile(y.victims.SetUID, binary, 0o755))
		y.must(os.Chmod(y.victims.SetUID, 0o755|os.ModeSetuid))
	}
}

// makeFolders makes the worker's home with a file beside it, another user's home and a state
// folder.
func (y *testHost) makeFolders() {
	v := &y.victims
	v.OwnOutside = y.secretIn("own", "outside", y.people.person, 0o755)
	v.OtherHome = y.secretIn("other", "diary", y.people.other, 0o700)
	v.SecretFile = y.secretIn("state", "key", y.people.service, 0o700)
	y.must(os.Mkdir(y.home, 0o700))
	y.chown(y.home, y.people.person)
	y.must(os.Link(y.program, filepath.Join(y.home, toolProgram)))
	secret := y.secretIn(filepath.Join("own", "home"+historySuffix), escape.HistoryFile, y.people.person, 0o700)
	v.History = filepath.Dir(secret)
}

// historySuffix ends the name of the folder of a file history.
const historySuffix = ".history"

func (y *testHost) secretIn(dir, name string, uid int, mode os.FileMode) string {
	dir = filepath.Join(y.dir, dir)
	path := filepath.Join(dir, name)
	y.must(os.Mkdir(dir, mode))
	y.must(os.WriteFile(path, []byte(y.victims.Secret), 0o600))
	y.chown(path, uid)
	y.chown(dir, uid)
	y.must(os.Chmod(dir, mode))
	return path
}

func (y *testHost) chown(path string, uid int) { y.must(os.Chown(path, uid, uid)) }

// startServices start services that send the secret to each client.
func (y *testHost) startServices() {
	v := &y.victims
	v.TCP = y.serve("tcp4", "127.0.0.1:0").String()
	v.Abstract = "mews-escapes-" + filepath.Base(y.dir)
	y.serve("unix", "@"+v.Abstract)
	v.Socket = filepath.Join(y.dir, "socket")
	y.serve("unix", v.Socket)
	y.must(os.Chmod(v.Socket, 0o777))
}

func (y *testHost) serve(network, at string) net.Addr {
	l, err := net.Listen(network, at)
	y.must(err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			// an error does not matter: a client may hang up at once
			_, _ = io.WriteString(conn, y.victims.Secret)
			_ = conn.Close()
		}
	}()
	y.t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr()
}

// credentialOf returns the credential to start a program with an account; nil means this process's
// own.
func credentialOf(uid int) *syscall.Credential {
	if uid == os.Getuid() {
		return nil
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
}

// victim starts a process with the secret in its environment and returns its pid. The process must
// be unharmed at the test's end.
func (y *testHost) victim(uid int) int {
	cmd := exec.Command(y.program)
	cmd.Args = []string{victimName}
	cmd.Env = []string{"MEWS_SECRET=" + y.victims.Secret}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credentialOf(uid)}
	in, err := cmd.StdinPipe()
	y.must(err)
	out, err := cmd.StdoutPipe()
	y.must(err)
	y.must(cmd.Start())
	y.t.Cleanup(func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			y.t.Errorf("a victim came to harm: %v", err)
		}
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		y.t.Fatalf("a victim says %q: %v", line, err)
	}
	return cmd.Process.Pid
}

// actVictim waits for the end of standard input. It allows tracing as far as the kernel's basic
// rules do.
func actVictim() error {
	// this call fails if the kernel has no Yama
	_ = unix.Prctl(unix.PR_SET_PTRACER, unix.PR_SET_PTRACER_ANY, 0, 0, 0)
	fmt.Println("ready")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// nothingLeft checks that escapes have left nothing behind.
func (y *testHost) nothingLeft() {
	y.t.Helper()
	for _, dir := range []string{y.home, y.victims.History, filepath.Dir(y.victims.OwnOutside), "/etc"} {
		if left, err := filepath.Glob(dir + "/.mews-*"); err != nil || len(left) != 0 {
			y.t.Errorf("left behind: %v, %v", left, err)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil || strings.Contains(string(mounts), y.dir) {
		y.t.Errorf("something is mounted in %s, or that can't be seen: %v", y.dir, err)
	}
}

// endDaemon ends the daemon of escape X1 if it still lives.
func (y *testHost) endDaemon(pid int) {
	if pid != 0 {
		y.must(unix.Kill(pid, unix.SIGKILL))
	}
}

// printUID is the program that runs as a set-uid program.
func printUID() error {
	_, err := fmt.Println(strconv.Itoa(os.Geteuid()))
	return err
}
