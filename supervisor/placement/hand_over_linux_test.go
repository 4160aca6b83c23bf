package placement

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"golang.org/x/sys/unix"

	"mews/supervisor"
)

// TestHomeHandOver_Interrupted_IsFinishedLater has a home of root's, as from a backup. The worker
// gets the files first, and the home itself last. Devices, and files with another name elsewhere,
// are not handed over.
func TestHomeHandOver_Interrupted_IsFinishedLater(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	const worker = 54321
	state := t.TempDir()
	home, outside := filepath.Join(state, "homes", "rob"), filepath.Join(state, "outside")
	for _, dir := range []string{"a", "b", "c"} {
		if err := os.MkdirAll(filepath.Join(home, dir, "below"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{
		os.WriteFile(outside, []byte("secret"), 0o600), os.Link(outside, filepath.Join(home, "a", "link")),
		unix.Mknod(filepath.Join(home, "a", "null"), unix.S_IFCHR|0o600, 1<<8|3),
		os.Symlink(outside, filepath.Join(home, "a", "symlink")),
		unix.Mount(filepath.Join(home, "b"), filepath.Join(home, "b"), "", unix.MS_BIND, ""),
		unix.Mount("", filepath.Join(home, "b"), "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = unix.Unmount(filepath.Join(home, "b"), 0) })
	var log bytes.Buffer
	locations := &WorkerLocations{Options: Options{State: state, Log: hclog.New(&hclog.LoggerOptions{Output: &log})},
		Workers: Account{worker, worker}}
	handedOver := func() {
		t.Helper()
		commit, err := locations.SetUsers([]supervisor.User{{Name: "rob", Home: home}})
		if err != nil {
			t.Fatal(err)
		}
		commit()
	}
	owners := func(want map[string]uint32) {
		t.Helper()
		for path, uid := range want {
			info, err := os.Lstat(filepath.Join(home, path))
			if err != nil {
				t.Fatal(err)
			}
			if OwnerUID(info) != uid {
				t.Errorf("%s belongs to uid %d, want %d", path, OwnerUID(info), uid)
			}
		}
	}
	handedOver()
	owners(map[string]uint32{".": 0, "a/below": worker, "b": 0, "c": 0})
	if err := unix.Unmount(filepath.Join(home, "b"), 0); err != nil {
		t.Fatal(err)
	}
	handedOver()
	owners(map[string]uint32{
		".": worker, "a/below": worker, "b": worker, "b/below": worker, "c": worker, "c/below": worker, "a/symlink": worker,
		"a/link": 0, "a/null": 0, "../../outside": 0,
	})
	if !strings.Contains(log.String(), "a/link") || !strings.Contains(log.String(), "a/null") {
		t.Errorf("the log says nothing of what was not handed over: %s", &log)
	}
}
