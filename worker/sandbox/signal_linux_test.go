package sandbox

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// sleeper starts a process of an account, which ends with the test.
func sleeper(t *testing.T, uid uint32) int {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid, NoSetGroups: uid == 0}}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	return cmd.Process.Pid
}

// TestSignalAccount_ReachesOnlyThatAccount also checks that this process keeps its account.
func TestSignalAccount_ReachesOnlyThatAccount(t *testing.T) {
	if ownPrivilege(t) != PrivilegeRoot {
		t.Skip("only root may signal another account")
	}
	other, a, b := sleeper(t, 0), sleeper(t, testUID), sleeper(t, testUID)
	for _, pid := range []int{a, b} {
		t.Cleanup(func() { _ = unix.Kill(pid, unix.SIGCONT) })
	}
	if err := SignalAccount(testUID, testUID, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{a, b} {
		var status unix.WaitStatus
		if _, err := unix.Wait4(pid, &status, unix.WUNTRACED, nil); err != nil || !status.Stopped() {
			t.Errorf("process %d: %v, %v; want it stopped", pid, status, err)
		}
	}
	var status unix.WaitStatus
	if got, err := unix.Wait4(other, &status, unix.WUNTRACED|unix.WNOHANG, nil); got != 0 || err != nil {
		t.Errorf("somebody else's: %v, %v", status, err)
	}
	// the runtime chooses the thread; signal 0 only checks (kill(2)), because SIGCONT would reach
	// the whole session
	for range 500 {
		if err := SignalAccount(testUID, testUID, 0); err != nil {
			t.Fatal(err)
		}
	}
	var main unix.Stat_t
	if err := unix.Stat("/proc/self", &main); err != nil || main.Uid != 0 || os.Geteuid() != 0 || ownPrivilege(t) != PrivilegeRoot {
		t.Errorf("this process is account %d's now, %v", main.Uid, err)
	}
	for _, uid := range []int{0, -1, os.Getuid()} {
		if err := SignalAccount(uid, testUID, unix.SIGSTOP); err == nil {
			t.Errorf("account %d was signalled", uid)
		}
	}
}
