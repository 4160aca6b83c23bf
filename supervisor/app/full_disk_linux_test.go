package app

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"mews/supervisor/problem"
)

// zeroReader reads endless zeros.
type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { return len(p), nil }

// smallDisk returns a folder on a separate small disk.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); errors.Is(err, unix.EPERM) {
		t.Skip("mounting a tmpfs is not permitted here: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	// MNT_DETACH, because the service closes its files later
	t.Cleanup(func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

// If the disk is full, an invite fails for that reason and adds nobody. First the database has no
// room. Then only the picture with the link has none.
func TestInvite_FullDisk_AddsNobody(t *testing.T) {
	dir := smallDisk(t)
	s := newTwoPersonServiceIn(t, dir)
	bot := "@mews_bot"
	i := s.inviter()
	i.Bot = func() string { return bot }
	refused := func(name string) {
		t.Helper()
		must(t, i.CheckName(t.Context(), name))
		_, err := i.Invite(t.Context(), name)
		if text := problem.UserText(err); err == nil || !strings.HasPrefix(text, "The disk that holds Mews's ") ||
			!strings.Contains(text, " is full") {
			t.Errorf("the invite of %s: %q, %v", name, text, err)
		}
		added, err := s.db.UserAccessStores().People.List(t.Context())
		if _, known := s.people.Find(name); known || err != nil || len(added) != 0 {
			t.Errorf("%s is a person now: %+v, %v", name, added, err)
		}
	}
	refused("cleo") // the database has room, but the spool has none
	bot = ""
	ballast, err := os.Create(filepath.Join(dir, "ballast"))
	must(t, err)
	defer ballast.Close()
	if _, err := io.Copy(ballast, zeroReader{}); !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
	refused("dora")
	must(t, ballast.Truncate(0))
	made, err := i.Invite(t.Context(), "dora")
	if _, known := s.people.Find("dora"); err != nil || !made.Added || !known {
		t.Errorf("made was %+v, %v", made, err)
	}
}
