package main

import (
	"errors"
	"fmt"
	"mews/supervisor/app"
	"mews/supervisor/placement"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/config"
	"mews/protocol"
)

// TestWhyThereAreNoWalls: in the spawner's words alone, with its lines as lines.
func TestWhyThereAreNoWalls(t *testing.T) {
	const said = `start /bin/mews-spawner: it ended without a word` + "\n" + `mews-spawner: exit status 1; it wrote: mews-spawner: ` +
		`there are no walls (\"namespaces\" is asked for):\nnamespaces: one\nlandlock: two`
	spawners := errors.New(said)
	if got, want := placement.SandboxFault(spawners).Error(), "there are no walls (\"namespaces\" is asked for):\nnamespaces: one\nlandlock: two"; got != want {
		t.Errorf("%s", got)
	}
	if got := wallsUnknown(spawners); !errors.As(got, new(*warned)) {
		t.Errorf("the limits: %v", got)
	}
	for _, other := range []error{errors.New("no such program"), errors.New(`it wrote: mews-spawner: \q`), nil} {
		if placement.SandboxFault(other) != other || wallsUnknown(other) != other {
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
	long := now.Add(-2 * placement.VictimsOld)
	want := map[string]bool{}
	for _, left := range []struct {
		dir, name string
		folder    bool
		made      time.Time
		stays     bool
	}{
		{temporary, placement.VictimsPrefix + "old", true, long, false},
		{temporary, placement.VictimsPrefix + "new", true, now, true},
		{temporary, placement.VictimsPrefix + "file", false, long, true},
		{temporary, "mews-other", true, long, true},
		{private, placement.CanaryPrefix + "old", false, long, false},
		{private, placement.CanaryPrefix + "new", false, now, true},
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
	if err := errors.Join(os.WriteFile(elsewhere, nil, 0o600), os.Symlink(filepath.Dir(elsewhere), filepath.Join(temporary, placement.VictimsPrefix+"link"))); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // another account's
		theirs := filepath.Join(temporary, placement.VictimsPrefix+"theirs")
		if err := errors.Join(os.Mkdir(theirs, 0o700), os.Chown(theirs, 54321, 54321), os.Chtimes(theirs, long, long)); err != nil {
			t.Fatal(err)
		}
		want[theirs] = true
	}
	placement.SweepVictims(temporary, private, now)
	for path, stays := range want {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("%s: %v, and it is to stay: %t", path, err, stays)
		}
	}
	if _, err := os.Stat(elsewhere); err != nil {
		t.Errorf("behind a link: %v", err)
	}
	placement.SweepVictims(filepath.Join(temporary, "nowhere"), private, now)
}

// TestAnAttemptRemovesWhatAnEarlierOneLeft: before it makes victims of its own.
func TestAnAttemptRemovesWhatAnEarlierOneLeft(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	left := filepath.Join(os.TempDir(), placement.VictimsPrefix+"1")
	long := time.Now().Add(-2 * placement.VictimsOld)
	if err := errors.Join(os.Mkdir(left, 0o700), os.Chtimes(left, long, long)); err != nil {
		t.Fatal(err)
	}
	v, err := placement.NewVictims(t.TempDir(), placement.Account{})
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), placement.VictimsPrefix+"*"))
	if err != nil || !slices.Equal(dirs, []string{v.Dir}) {
		t.Errorf("%q, %v; want %s alone", dirs, err, v.Dir)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(v.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Error(fmt.Errorf("its own folder: %w", err))
	}
}

// TestWhatKeepsMewsFromServing: an attempt that got out and is not known to, and one that could not be made.
func TestWhatKeepsMewsFromServing(t *testing.T) {
	findings := []protocol.Finding{
		{Row: "F2", Outcome: protocol.OutcomeStopped}, {Row: "F3", Outcome: protocol.OutcomeEscaped},
		{Row: "F5", Outcome: protocol.OutcomeUntried}, {Row: "F14", Outcome: protocol.OutcomeEscaped},
	}
	for tier, want := range map[string]string{"accounts": "F3 F5 F14", "landlock": "F3 F5"} {
		var rows []string
		for _, f := range placement.Holes(tier, findings) {
			rows = append(rows, f.Row)
		}
		if got := strings.Join(rows, " "); got != want {
			t.Errorf("%s: %s, want %s", tier, got, want)
		}
	}
}

// TestADaemonThatOutlivesItsWorkerIsSeen by the lock that it keeps.
func TestADaemonThatOutlivesItsWorkerIsSeen(t *testing.T) {
	marker := filepath.Join(t.TempDir(), protocol.DaemonMarker)
	outcome := func() string {
		findings := []protocol.Finding{{Row: "F1", Outcome: protocol.OutcomeUntried}, {Row: "X1", Outcome: protocol.OutcomeUntried}}
		app.AfterTheEnd(findings, marker)
		if findings[0].Outcome != protocol.OutcomeUntried {
			t.Errorf("of another row: %+v", findings[0])
		}
		return findings[1].Outcome
	}
	if got := outcome(); got != protocol.OutcomeUntried {
		t.Errorf("without a marker: %s", got)
	}
	// A lock is a process's, and this one's own would not be seen.
	daemon := exec.Command("python3", "-c", "import fcntl, sys\nf = open(sys.argv[1], 'w')\nfcntl.lockf(f, fcntl.LOCK_EX)\n"+
		"print('locked', flush=True)\nsys.stdin.read()", marker)
	in, err1 := daemon.StdinPipe()
	out, err2 := daemon.StdoutPipe()
	if err := errors.Join(err1, err2, daemon.Start()); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	if got := outcome(); got != protocol.OutcomeEscaped {
		t.Errorf("while it lives: %s", got)
	}
	if err := errors.Join(in.Close(), daemon.Wait()); err != nil {
		t.Fatal(err)
	}
	if got := outcome(); got != protocol.OutcomeStopped {
		t.Errorf("when it is gone: %s", got)
	}
}

// TestVictimsOfAnotherAccountAreSweptToo: their folder stays this account's, and only what is in it is the worker's.
func TestVictimsOfAnotherAccountAreSweptToo(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	v, err := placement.NewVictims(t.TempDir(), placement.Account{UID: 54321, GID: 54321})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(v.OwnOutside)
	if err != nil || os.Getuid() == 0 && placement.UIDOf(info) != 54321 {
		t.Errorf("%v belongs to %d", err, placement.UIDOf(info))
	}
	placement.SweepVictims(os.TempDir(), "", time.Now().Add(2*placement.VictimsOld))
	if _, err := os.Stat(v.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}
