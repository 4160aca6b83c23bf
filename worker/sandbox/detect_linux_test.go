package sandbox

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// testUID is an account that no machine has and no test of another package uses. The kernel counts
// processes by account, and packages are tested at the same time.
const testUID = 54321

// homeOf makes a folder that an account owns and can reach.
func homeOf(t testing.TB, uid int) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mews-home")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chown(dir, uid, uid); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDetectTier_EachTier_IsBuilt(t *testing.T) {
	privilege, err := OwnPrivilege()
	if err != nil {
		t.Fatal(err)
	}
	uid, dir := -1, t.TempDir()
	if privilege == PrivilegeRoot {
		uid, dir = testUID, homeOf(t, testUID)
	}
	for _, tier := range []Tier{TierAccounts, TierNamespaces, TierLandlock, TierOff} {
		if tier == TierAccounts && privilege == PrivilegeNone {
			continue
		}
		got, why, err := DetectTier(DetectOptions{Tier: tier, MinTier: TierOff, Privilege: privilege, UID: uid,
			GID: uid, Dir: dir})
		if err != nil || got != tier {
			t.Errorf("%s: got %q, %v", tier, got, err)
		}
		t.Log(tier, why)
	}
}

// TestPrivilege_EachOne_BuildsWalls: the spawner has the capabilities that systemd gives. Its
// account is neither root's nor the user's.
func TestPrivilege_EachOne_BuildsWalls(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a process capabilities")
	}
	dir := homeOf(t, testUID)
	for privilege, caps := range map[Privilege][]uintptr{
		PrivilegeSetID: {unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_KILL},
		PrivilegeMount: {unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_KILL, unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP,
			unix.CAP_DAC_READ_SEARCH},
	} {
		cmd := exec.Command("/proc/self/exe", "detect")
		cmd.Env = []string{"TIER=accounts", "HOME=" + dir}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: testUID + 1, Gid: testUID + 1}, AmbientCaps: caps}
		out, err := cmd.CombinedOutput()
		if want := string(privilege) + " accounts\n"; err != nil || string(out) != want {
			t.Errorf("%s: %v: %s", privilege, err, out)
		}
	}
}
