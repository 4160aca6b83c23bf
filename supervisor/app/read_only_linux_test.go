package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"mews/config"
	"mews/supervisor/logging"
)

// mountSmallDisk mounts a disk with room for 40 files at a new folder.
func mountSmallDisk(t *testing.T, dir string) {
	t.Helper()
	must(t, os.Mkdir(dir, 0o711))
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m,nr_inodes=40,mode=711"); errors.Is(err, unix.EPERM) {
		t.Skip("mounting is not permitted here: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
}

// fillWithFiles makes files in a folder until no more fit.
func fillWithFiles(t *testing.T, dir string) {
	t.Helper()
	for n := 0; ; n++ {
		err := os.WriteFile(filepath.Join(dir, fmt.Sprint("small-", n)), nil, 0o600)
		if errors.Is(err, unix.ENOSPC) {
			return
		}
		must(t, err)
	}
}

// Mews is stopped. The disk of its state folder has no room for a file, or is mounted read-only.
func TestUserVerb_UnwritableDisk_StillReads(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"no files": fillWithFiles,
		"read-only": func(t *testing.T, dir string) {
			must(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCommandLine(t, false)
			state := filepath.Join(c.dir, "state")
			mountSmallDisk(t, state)
			c.mustRun("user", "add", "dan")
			c.mustRun("user", "disable", "ben")
			spoil(t, state)
			for verb, want := range map[string]string{
				"user list": "dan", "user show ben": "may not speak", "audit": "user.", "audit verify": "each matches",
				"totp status ann": "ann",
			} {
				if got := c.mustRun(strings.Fields(verb)...); !strings.Contains(got, want) {
					t.Errorf("mews %s: got %q, want %q", verb, got, want)
				}
			}
			file := filepath.Join(c.dir, "dan.tar.gz")
			_, warning, code := c.run("", "user", "export", "dan", "--output", file)
			if want := strings.TrimSuffix("This export has no entry in the audit log. %s", "%s"); code != 0 ||
				!strings.Contains(warning, want) {
				t.Errorf("the export ended with %d and %q", code, warning)
			}
			archive, err := os.Open(file)
			must(t, err)
			defer archive.Close()
			if records := archiveFiles(t, archive)["settings.json"]; !strings.Contains(records, `"dan"`) {
				t.Errorf("the export's records are %q", records)
			}
			c.mustFail("Mews's database", "user", "add", "eve")
		})
	}
}

func TestMakeRoom_NoInodes_IsRefused(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	mountSmallDisk(t, state)
	must(t, os.Mkdir(filepath.Join(state, "private"), 0o700))
	s := &storage{config: &config.Config{State: state}, log: logging.Discard()}
	must(t, s.makeRoom(t.Context()))
	fillWithFiles(t, state)
	if err := s.makeRoom(t.Context()); err == nil || err.Error() != fmt.Sprintf(textNoInodes, state) {
		t.Errorf("got %v", err)
	}
}
