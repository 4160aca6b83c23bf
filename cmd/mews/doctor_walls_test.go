package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/config"
)

// TestWhyThereAreNoWalls: in the spawner's words alone, with its lines as lines.
func TestWhyThereAreNoWalls(t *testing.T) {
	const said = `start /bin/mews-spawner: it ended without a word` + "\n" + `mews-spawner: exit status 1; it wrote: mews-spawner: ` +
		`there are no walls (\"namespaces\" is asked for):\nnamespaces: one\nlandlock: two`
	spawners := errors.New(said)
	if got, want := wallsFault(spawners).Error(), "there are no walls (\"namespaces\" is asked for):\nnamespaces: one\nlandlock: two"; got != want {
		t.Errorf("%s", got)
	}
	if got := wallsUnknown(spawners); !errors.As(got, new(*warned)) {
		t.Errorf("the limits: %v", got)
	}
	for _, other := range []error{errors.New("no such program"), errors.New(`it wrote: mews-spawner: \q`), nil} {
		if wallsFault(other) != other || wallsUnknown(other) != other {
			t.Errorf("%v is not left as it is", other)
		}
	}
	if got, want := hanging("one\ntwo"), "one\n                two"; got != want {
		t.Errorf("%q", got)
	}
	for why, want := range map[string]string{
		"All is well.": "All is well.",
		"Some hold. Better walls do not hold here: accounts: one; namespaces: two.": "Some hold.\nBetter walls do not hold here:\n" +
			"accounts: one\nnamespaces: two.",
	} {
		if got := wallsLines(why); got != want {
			t.Errorf("%q", got)
		}
	}
}

// Who has no account of their own shares the service's, and it says so only where accounts are the walls.
func TestWhoSharesAnAccountIsSaid(t *testing.T) {
	cfg := &config.Config{Users: []config.User{{Name: "ann"}, {Name: "ben", Account: "ben"}, {Name: "cat"}}}
	if got := sharing(cfg, "accounts"); !strings.HasPrefix(got, " 2 people share the account ") {
		t.Errorf("%q", got)
	}
	if got := sharing(cfg, "namespaces"); got != "" {
		t.Errorf("in namespaces: %q", got)
	}
	cfg.Users = cfg.Users[1:]
	if got := sharing(cfg, "accounts"); got != "" {
		t.Errorf("one alone: %q", got)
	}
}

// TestVictimsOfAKilledRunAreRemoved: old ones of this account, and nothing else.
func TestVictimsOfAKilledRunAreRemoved(t *testing.T) {
	temporary, private := t.TempDir(), t.TempDir()
	now := time.Now()
	long := now.Add(-2 * victimsOld)
	want := map[string]bool{}
	for _, left := range []struct {
		dir, name string
		folder    bool
		made      time.Time
		stays     bool
	}{
		{temporary, victimsPrefix + "old", true, long, false},
		{temporary, victimsPrefix + "new", true, now, true},
		{temporary, victimsPrefix + "file", false, long, true},
		{temporary, "mews-other", true, long, true},
		{private, canaryPrefix + "old", false, long, false},
		{private, canaryPrefix + "new", false, now, true},
		{private, "key", false, long, true},
	} {
		path := filepath.Join(left.dir, left.name)
		inside := path
		if left.folder {
			inside = filepath.Join(path, "outside")
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.WriteFile(inside, []byte("secret"), 0o600), os.Chtimes(path, left.made, left.made)); err != nil {
			t.Fatal(err)
		}
		want[path] = left.stays
	}
	elsewhere := filepath.Join(t.TempDir(), "kept")
	if err := errors.Join(os.WriteFile(elsewhere, nil, 0o600), os.Symlink(filepath.Dir(elsewhere), filepath.Join(temporary, victimsPrefix+"link"))); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // another account's
		theirs := filepath.Join(temporary, victimsPrefix+"theirs")
		if err := errors.Join(os.Mkdir(theirs, 0o700), os.Chown(theirs, 54321, 54321), os.Chtimes(theirs, long, long)); err != nil {
			t.Fatal(err)
		}
		want[theirs] = true
	}
	sweepVictims(temporary, private, now)
	for path, stays := range want {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("%s: %v, and it is to stay: %t", path, err, stays)
		}
	}
	if _, err := os.Stat(elsewhere); err != nil {
		t.Errorf("behind a link: %v", err)
	}
	sweepVictims(filepath.Join(temporary, "nowhere"), private, now)
}

// TestAnAttemptRemovesWhatAnEarlierOneLeft: before it makes victims of its own.
func TestAnAttemptRemovesWhatAnEarlierOneLeft(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	left := filepath.Join(os.TempDir(), victimsPrefix+"1")
	long := time.Now().Add(-2 * victimsOld)
	if err := errors.Join(os.Mkdir(left, 0o700), os.Chtimes(left, long, long)); err != nil {
		t.Fatal(err)
	}
	v, err := newVictims(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), victimsPrefix+"*"))
	if err != nil || !slices.Equal(dirs, []string{v.dir}) {
		t.Errorf("%q, %v; want %s alone", dirs, err, v.dir)
	}
	if err := v.close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(v.dir); !errors.Is(err, os.ErrNotExist) {
		t.Error(fmt.Errorf("its own folder: %w", err))
	}
}
