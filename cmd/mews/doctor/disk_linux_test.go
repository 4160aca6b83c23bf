package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"mews/config"
)

// TestExamineDisk_HomeDiskLow_IsReported covers a home on another disk than the state folder.
func TestExamineDisk_HomeDiskLow_IsReported(t *testing.T) {
	home := t.TempDir()
	if err := unix.Mount("tmpfs", home, "tmpfs", 0, "size=2g,nr_inodes=200"); err != nil {
		t.Skip("a disk of its own takes mounting a tmpfs, which is not permitted here: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(home, unix.MNT_DETACH) })
	o := Options{Config: &config.Config{State: filepath.Join(t.TempDir(), "none"),
		Users: []config.User{{Home: home}, {Home: home}}}}
	finding, err := examineDisk(t.Context(), o)
	if err != nil || strings.Count(finding, "free below") != 2 {
		t.Fatalf("with room: %q, %v", finding, err)
	}
	files := func(from, to int) {
		t.Helper()
		for n := from; n < to; n++ {
			if err := os.WriteFile(filepath.Join(home, string(rune('a'+n))), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	files(0, 190)
	_, err = examineDisk(t.Context(), o)
	if err == nil || errors.As(err, new(*warning)) || !strings.Contains(err.Error(), "is full: there is room for") {
		t.Errorf("full: %v", err)
	}
}
