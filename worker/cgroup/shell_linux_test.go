package cgroup

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// TestMain runs the tests or, if delegatedVar is set, a spawner in a folder that was delegated to
// it.
func TestMain(m *testing.M) {
	if os.Getenv(delegatedVar) == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if err := runDelegated(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// shell is a shell that waits for a line and then runs its script.
type shell struct {
	t     testing.TB
	cmd   *exec.Cmd
	stdin io.WriteCloser
	said  *bufio.Reader
	ended chan struct{}
}

// startShell starts a shell. If k is not nil, the fake kernel learns when the process has ended.
func startShell(t testing.TB, k *fake, script string) *shell {
	t.Helper()
	s := &shell{t: t, cmd: exec.Command("/bin/sh", "-c", "read go; "+script), ended: make(chan struct{})}
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stdin, s.said, s.cmd.Stdout = stdin, bufio.NewReader(out), in
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait() // the test checks how the shell ended
		if k != nil {
			k.removeEnded(s.pid())
		}
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // an error does not matter: the shell has usually ended
		<-s.ended
		out.Close()
	})
	return s
}

func (s *shell) pid() int { return s.cmd.Process.Pid }

func (s *shell) write(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.stdin, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shell) readLine() string {
	s.t.Helper()
	line, err := s.said.ReadString('\n')
	if err != nil {
		s.t.Fatalf("the shell says nothing: %v", err)
	}
	return strings.TrimSpace(line)
}

// awaitSignal waits for the end and returns the signal that caused it, or 0.
func (s *shell) awaitSignal() syscall.Signal {
	<-s.ended
	status := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() {
		return 0
	}
	return status.Signal()
}

// open opens a Tree and closes it at the test's end.
func open(t testing.TB, o Options) *Tree {
	t.Helper()
	tree, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
	})
	return tree
}

// makeGroup makes a group and removes it at the test's end, with all its processes.
func makeGroup(t testing.TB, tree *Tree, l Limits) *Group {
	t.Helper()
	g, err := tree.MakeGroup(testName(), l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(g.KillProcesses(), g.Remove()); err != nil {
			t.Error(err)
		}
	})
	return g
}

func testName() string { return fmt.Sprintf("mews-test-%d", os.Getpid()) }

// realV1 returns Options for the controllers in wish that can be used on this system's cgroup v1,
// and the reason if some cannot. It uses only hierarchies in whose top group the test is. Any other
// group may belong to a program that expects no other processes in it.
func realV1(t testing.TB, wish ...string) (o Options, have []string, why string) {
	t.Helper()
	const root = "/sys/fs/cgroup"
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return o, nil, err.Error()
	}
	var lines, whys []string
	for line := range strings.Lines(string(text)) {
		m, err := parseMembership(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		if m.isV2() || !slices.ContainsFunc(m.controllers, func(c string) bool { return slices.Contains(wish, c) }) {
			continue
		}
		if why := whyUnusable(t, root, m); why != "" {
			whys = append(whys, why)
			continue
		}
		lines, have = append(lines, line), append(have, m.controllers...)
	}
	if len(lines)+len(whys) == 0 {
		whys = append(whys, "cgroup v1 has none of "+strings.Join(wish, ", "))
	}
	file := filepath.Join(t.TempDir(), "self")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	return Options{Root: root, Self: file}, have, strings.Join(whys, "; ")
}

// whyUnusable explains why a hierarchy cannot be used. It fails the test if the hierarchy should be
// usable.
func whyUnusable(t testing.TB, root string, m membership) string {
	name := strings.Join(m.controllers, ",")
	if m.path != "/" {
		return name + ": this process is in a group that somebody made"
	}
	mount := filepath.Join(root, name)
	var st unix.Statfs_t
	if err := unix.Statfs(mount, &st); err != nil || st.Type != unix.CGROUP_SUPER_MAGIC {
		return name + ": not mounted"
	}
	if st.Flags&unix.ST_RDONLY != 0 {
		return name + ": mounted read-only"
	}
	if os.Geteuid() != 0 {
		return name + ": only root may"
	}
	probe := filepath.Join(mount, testName())
	err := os.Mkdir(probe, 0o755)
	if err == nil {
		err = os.Remove(probe)
	}
	if err != nil {
		t.Errorf("%s is mounted writable and this is root: %v", mount, err)
		return err.Error()
	}
	return ""
}
