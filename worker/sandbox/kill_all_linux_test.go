package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mews/worker/program/programtest"
)

// killerName is the role of a worker that kills all programs at one moment. forkerName is the role
// of a program that leaves processes behind, which fork without pause.
const (
	killerName = "mews-killer"
	forkerName = "mews-forker"
)

// actForker starts processes that stay in one session, or that make a session each time.
func actForker() error {
	for _, newSessions := range []bool{false, true, true} {
		if errno := programtest.ForkWithoutPause(1<<20, newSessions); errno != 0 {
			return errno
		}
	}
	return nil
}

// actKiller starts programs that fork without end, as actForker does, and kills them. Its last wait
// would not end if a process was left.
func actKiller() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	inside := NewToolStarter(Tier(takeVariable(TierVariable)), nil)
	for range 20 {
		if err := errors.Join(startSome(inside, 2, "./"+forkerName), inside.KillAll()); err != nil {
			return err
		}
		for err := error(nil); err != unix.ECHILD; {
			if _, err = unix.Wait4(-1, nil, 0, nil); err != nil && err != unix.EINTR && err != unix.ECHILD {
				return err
			}
		}
	}
	fmt.Println("none is left")
	return nil
}

// TestKillAll_EndlessForks_LeavesNone kills programs in each tier. A process outside of the walls
// lives on, although it has the same account.
func TestKillAll_EndlessForks_LeavesNone(t *testing.T) {
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		for _, name := range []string{killerName, forkerName} {
			r.must(os.WriteFile(r.host("home/"+name), program, 0o755))
			r.must(os.Chown(r.host("home/"+name), r.plan.UID, r.plan.GID))
		}
		outside := exec.Command("/bin/sleep", "1000")
		if r.plan.UID >= 0 {
			outside.SysProcAttr = &syscall.SysProcAttr{Credential: credentialOf(r.plan.UID)}
		}
		r.must(outside.Start())
		if got := r.mustPrint("exec ./" + killerName); got != "none is left" {
			t.Errorf("the worker says %q", got)
		}
		r.must(outside.Process.Signal(syscall.SIGTERM))
		if _ = outside.Wait(); outside.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
			t.Errorf("a process outside ended with %v", outside.ProcessState)
		}
	})
}

// TestSignals_WithoutWalls_AreNotConfined: a worker without walls must not use KillAll, because its
// signal would reach all programs of its account.
func TestSignals_WithoutWalls_AreNotConfined(t *testing.T) {
	for _, tier := range append([]Tier{""}, tierOrder...) {
		if err := NewToolStarter(tier, nil).checkSignalsConfined(); err == nil {
			t.Errorf("%q: a process without walls may kill all processes", tier)
		}
	}
}
