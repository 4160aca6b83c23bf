package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTierOff_Worker_HasNoCapabilities: even without walls a worker has no more privilege than its
// account.
func TestTierOff_Worker_HasNoCapabilities(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a process capabilities")
	}
	cmd := exec.Command("/proc/self/exe", "off")
	cmd.Env = []string{"HOME=" + homeOf(t, testUID)}
	cmd.Stdin = strings.NewReader("grep -E '^(Uid|CapEff|CapAmb|CapPrm|NoNewPrivs):' /proc/self/status\n")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: testUID + 1, Gid: testUID + 1},
		AmbientCaps: []uintptr{unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_KILL}}
	out, err := cmd.CombinedOutput()
	want := "Uid: 54321 54321 54321 54321 CapPrm: 0000000000000000 CapEff: 0000000000000000 CapAmb: 0000000000000000 NoNewPrivs: 1"
	if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != want {
		t.Errorf("%v: %s", err, got)
	}
}

// tryOff starts a shell as testUID, without walls.
func tryOff() error {
	runtime.LockOSThread()
	privilege, err := OwnPrivilege()
	if err != nil {
		return err
	}
	home, fd, err := OpenBindMount(filepath.Split(os.Getenv("HOME")))
	if err != nil {
		return err
	}
	shell, err := unix.Open("/bin/sh", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	p := Plan{Tier: TierOff, Profile: ProfileWorker, Worker: "/bin/sh", Home: home, UID: testUID, GID: testUID}
	launch, err := p.NewLaunch(privilege)
	if err != nil {
		return err
	}
	pid, err := launch.StartStageOne(fd, 0, 1, 2, uintptr(shell))
	if err != nil {
		return err
	}
	return waitExit(pid)
}

// TestPlan_RootAccount_IsRefused: a plan without an account means the spawner's own, which must not
// be root's.
func TestPlan_RootAccount_IsRefused(t *testing.T) {
	p := Plan{Tier: TierOff, Profile: ProfileWorker, Worker: "/bin/sh", Home: BindMount{Root: "/"}, UID: -1, GID: -1}
	for privilege := range launchAttrs {
		if _, err := p.NewLaunch(privilege); (err == nil) != (os.Getuid() != 0) {
			t.Errorf("%s: %v", privilege, err)
		}
		p.UID = 0
		if _, err := p.NewLaunch(privilege); err == nil {
			t.Errorf("%s: root", privilege)
		}
		p.UID = -1
	}
}
