package program

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"mews/worker/program/programtest"
)

// forkRole makes the test binary start a process that forks without pause, and end.
const forkRole = "fork-without-pause"

// generations bounds a process that no test ends. It lasts for minutes.
const generations = 1 << 20

// runForkRole plays forkRole if the arguments ask for it.
func runForkRole() {
	if len(os.Args) < 2 || os.Args[1] != forkRole {
		return
	}
	for range len(os.Args) - 1 { // start one process for each argument
		if errno := programtest.ForkWithoutPause(generations, false); errno != 0 {
			syscall.Exit(1)
		}
	}
	syscall.Exit(0)
}

// forkCommand returns a command for forkRole without an environment, so that its processes have no
// mark.
func forkCommand(t *testing.T, more ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command("/usr/bin/env", append([]string{"-i", self, forkRole}, more...)...)
}

// TestKillLeftovers_EndlessForks_AreKilled: the number of killed processes shows that such a
// process outlived its program. HasProcess asks the kernel, so it cannot miss a process.
func TestKillLeftovers_EndlessForks_AreKilled(t *testing.T) {
	for name, more := range map[string][]string{"one": nil, "eight": strings.Split("2345678", "")} {
		t.Run(name, func(t *testing.T) {
			children := NewChildren((*exec.Cmd).Start)
			killed, err := children.RunToEnd(t.Context(), RunOptions{Cmd: forkCommand(t, more...), Output: io.Discard})
			if err != nil || killed <= len(more) || children.HasProcess() {
				t.Errorf("%d were killed, %v; processes are left: %v", killed, err, children.HasProcess())
			}
		})
	}
}

// TestKillLeftovers_LastProgramEnds_KillsAll: while another program runs, nobody knows to
// which one a process without a mark belongs.
func TestKillLeftovers_LastProgramEnds_KillsAll(t *testing.T) {
	children := NewChildren((*exec.Cmd).Start)
	other, err := children.Start(exec.Command("/bin/sleep", "1000"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = children.RunToEnd(t.Context(), RunOptions{Cmd: forkCommand(t), Output: io.Discard})
	if err != nil || !children.HasProcess() {
		t.Fatalf("%v; processes are left: %v", err, children.HasProcess())
	}
	other.Signal(syscall.SIGKILL)
	_ = other.Wait()
	if killed := other.KillLeftovers(); killed == 0 || children.HasProcess() {
		t.Errorf("%d were killed; processes are left: %v", killed, children.HasProcess())
	}
}

// TestEndAll_KillAllFails_KillsEachChild uses a KillAll for which there are no walls.
func TestEndAll_KillAllFails_KillsEachChild(t *testing.T) {
	children := NewChildren((*exec.Cmd).Start)
	calls := 0
	children.KillAll = func() error { calls++; return errors.New("no walls") }
	children.Survived = func(err error) { t.Error(err) }
	killed, err := children.RunToEnd(t.Context(), RunOptions{Cmd: forkCommand(t), Output: io.Discard})
	if err != nil || killed == 0 || calls == 0 || children.HasProcess() {
		t.Errorf("%d were killed in %d calls, %v", killed, calls, err)
	}
}

// TestEndAll_ProcessSurvives_IsReported uses a KillAll that kills nothing.
func TestEndAll_ProcessSurvives_IsReported(t *testing.T) {
	children := NewChildren((*exec.Cmd).Start)
	children.KillAll = func() error { return nil }
	var survived error
	children.Survived = func(err error) { survived = err }
	r := bash("setsid sleep 1000 >/dev/null 2>&1 &", io.Discard, nil)
	if _, err := children.RunToEnd(t.Context(), r); err != nil || survived == nil || !children.HasProcess() {
		t.Errorf("%v, reported %v; processes are left: %v", err, survived, children.HasProcess())
	}
	killChildren()
	_, _ = syscall.Wait4(-1, nil, 0, nil)
}
