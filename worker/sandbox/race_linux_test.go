package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Two processes change the target of a workspace's path as fast as they can, while workers are
// started with it. One process puts a link to another user's folder there, the other process puts
// that folder itself. A worker gets the folder that was checked, or does not start.

// swapRaces are the ways to keep swapping a path for a link. Each runs until standard input ends.
var swapRaces = map[string]func(dir string) error{
	"link": func(dir string) error {
		_ = os.Symlink(filepath.Join(dir, "other"), filepath.Join(dir, "link"))
		return unix.Renameat2(unix.AT_FDCWD, filepath.Join(dir, "link"), unix.AT_FDCWD, filepath.Join(dir, "code"), unix.RENAME_EXCHANGE)
	},
	"folder": func(dir string) error {
		return unix.Renameat2(unix.AT_FDCWD, filepath.Join(dir, "other"), unix.AT_FDCWD, filepath.Join(dir, "code"), unix.RENAME_EXCHANGE)
	},
}

// swap is the process that keeps swapping a path for a link.
func swap() error {
	act, dir := swapRaces[os.Getenv("SWAP")], os.Getenv("DIR")
	stdin := []unix.PollFd{{Fd: 0, Events: unix.POLLIN}}
	for n := 0; ; n++ {
		if err := act(dir); err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
		if n == 100 {
			fmt.Println("swapping")
		}
		if n%20 == 0 { // pause: every rename makes all path lookups wait, and the workers must make progress
			if ended, err := unix.Poll(stdin, 1); ended > 0 || err != nil && err != unix.EINTR {
				return err
			}
		}
	}
}

// startSwap starts a process that swaps a file and a link until the test ends. how names the way.
func (r *testSandbox) startSwap(t *testing.T, how string) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "swap")
	cmd.Env = []string{"SWAP=" + how, "DIR=" + r.base, "GORACE=atexit_sleep_ms=0"}
	in, err := cmd.StdinPipe()
	r.must(err)
	out, err := cmd.StdoutPipe()
	r.must(err)
	r.must(cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("swap %s: %v", how, err)
		}
	})
	_, err = bufio.NewReader(out).ReadString('\n')
	r.must(err)
}

// TestSwapRace_Worker_GetsCheckedFolder starts at least 200 workers, and goes on for the time
// MEWS_RACE.
func TestSwapRace_Worker_GetsCheckedFolder(t *testing.T) {
	most, long := 200, time.Duration(0)
	if text := os.Getenv("MEWS_RACE"); text != "" {
		var err error
		if long, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	tiers := buildableTiers(t)
	for _, tier := range tiers {
		t.Run(string(tier), func(t *testing.T) {
			r := newTestSandbox(t, tier)
			r.must(os.Mkdir(r.host("other"), 0o777))
			r.must(os.Chmod(r.host("other"), 0o777))
			r.must(os.WriteFile(r.host("other/whose"), []byte("another's\n"), 0o666))
			r.must(os.WriteFile(r.host("code/whose"), []byte("right\n"), 0o666))
			r.startSwap(t, "link")
			r.startSwap(t, "folder")
			started, refused := r.race(most/len(tiers), time.Now().Add(long/time.Duration(len(tiers))))
			t.Logf("%d started with the right folder, %d were refused", started, refused)
			if started == 0 || refused == 0 {
				t.Errorf("%d started, %d were refused: it was no race", started, refused)
			}
		})
	}
}

// race starts workers until the time in end, but at least as many as the number in least.
func (r *testSandbox) race(least int, end time.Time) (started, refused int) {
	script := "cat " + r.host("code/whose") + " " + r.host("other/whose") + " 2>/dev/null; echo started\n"
	if r.plan.Tier.AtLeast(TierNamespaces) {
		script = "cat /workspaces/code/whose; echo started\n"
	}
	for n := 0; n < least || time.Now().Before(end) || started == 0 || refused == 0; n++ {
		said, err := r.run(script)
		switch {
		case strings.Contains(said, "another's"):
			r.t.Fatalf("start %d: another's folder is seen: %s", n, said)
		case err == nil && strings.Contains(said, "started"):
			started++
		case err != nil && !strings.Contains(said, "started"):
			refused++
		default:
			r.t.Fatalf("start %d: %s, %v", n, said, err)
		}
		if n > 100*least && end.Before(time.Now()) {
			return started, refused
		}
	}
	return started, refused
}
