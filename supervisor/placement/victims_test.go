package placement

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
)

// TestOldVictims_OfKilledRun_AreRemoved checks that only old victims that belong to this
// account are removed.
func TestOldVictims_OfKilledRun_AreRemoved(t *testing.T) {
	temporary, private := t.TempDir(), t.TempDir()
	now := time.Now()
	long := now.Add(-2 * VictimsMaxAge)
	want := map[string]bool{}
	for _, left := range []struct {
		dir, name string
		folder    bool
		made      time.Time
		stays     bool
	}{
		{temporary, VictimsPrefix + "old", true, long, false},
		{temporary, VictimsPrefix + "new", true, now, true},
		{temporary, VictimsPrefix + "file", false, long, true},
		{temporary, "mews-other", true, long, true},
		{private, CanaryPrefix + "old", false, long, false},
		{private, CanaryPrefix + "new", false, now, true},
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
		if err := errors.Join(os.WriteFile(inside, []byte("secret"), 0o600),
			os.Chtimes(path, left.made, left.made)); err != nil {
			t.Fatal(err)
		}
		want[path] = left.stays
	}
	elsewhere := filepath.Join(t.TempDir(), "kept")
	if err := errors.Join(os.WriteFile(elsewhere, nil, 0o600), os.Symlink(filepath.Dir(elsewhere), filepath.Join(temporary, VictimsPrefix+"link"))); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // these victims belong to another account
		theirs := filepath.Join(temporary, VictimsPrefix+"theirs")
		if err := errors.Join(os.Mkdir(theirs, 0o700), os.Chown(theirs, 54321, 54321), os.Chtimes(theirs, long, long)); err != nil {
			t.Fatal(err)
		}
		want[theirs] = true
	}
	RemoveOldVictims(temporary, private, now)
	for path, stays := range want {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("%s: %v, and it is to stay: %t", path, err, stays)
		}
	}
	if _, err := os.Stat(elsewhere); err != nil {
		t.Errorf("behind a link: %v", err)
	}
	RemoveOldVictims(filepath.Join(temporary, "nowhere"), private, now)
}

// TestSelfTest_OldVictims_AreRemovedFirst checks that victims of a killed run are removed before
// new victims are made.
func TestSelfTest_OldVictims_AreRemovedFirst(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	left := filepath.Join(os.TempDir(), VictimsPrefix+"1")
	long := time.Now().Add(-2 * VictimsMaxAge)
	if err := errors.Join(os.Mkdir(left, 0o700), os.Chtimes(left, long, long)); err != nil {
		t.Fatal(err)
	}
	v, err := NewVictims(t.TempDir(), Account{})
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), VictimsPrefix+"*"))
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

// TestSandboxHoles_UnknownFindings_AreListed checks that Mews does not start after an unknown
// escape. The same holds if an attempt could not be made.
func TestSandboxHoles_UnknownFindings_AreListed(t *testing.T) {
	findings := []protocol.EscapeReport{
		{Row: "F2", Outcome: protocol.EscapePrevented}, {Row: "F3", Outcome: protocol.EscapeSucceeded},
		{Row: "F5", Outcome: protocol.EscapeUntried}, {Row: "F14", Outcome: protocol.EscapeSucceeded},
	}
	for tier, want := range map[string]string{"accounts": "F3 F5 F14", "landlock": "F3 F5"} {
		var rows []string
		for _, f := range SandboxHoles(tier, findings) {
			rows = append(rows, f.Row)
		}
		if got := strings.Join(rows, " "); got != want {
			t.Errorf("%s: %s, want %s", tier, got, want)
		}
	}
}

// TestOldVictims_OfWorkersAccount_AreRemoved has a folder of this account whose contents belong to
// the worker's account.
func TestOldVictims_OfWorkersAccount_AreRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	v, err := NewVictims(t.TempDir(), Account{UID: 54321, GID: 54321})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(v.OwnOutside)
	if err != nil || os.Getuid() == 0 && OwnerUID(info) != 54321 {
		t.Errorf("%v belongs to %d", err, OwnerUID(info))
	}
	RemoveOldVictims(os.TempDir(), "", time.Now().Add(2*VictimsMaxAge))
	if _, err := os.Stat(v.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// silentWorker answers only when its caller's context ends, as if it could make no attempt.
type silentWorker struct{ end context.CancelFunc }

func (w silentWorker) Call(_ context.Context, _ string, _, result any) error {
	w.end()
	*result.(*protocol.TryWallsResult) = protocol.TryWallsResult{Findings: []protocol.EscapeReport{{Row: "F9",
		Outcome: "untried"}}}
	return nil
}

// TestSelfTest_Cancelled_BlamesNoWalls ends the service right after its start, before the sandbox
// was tested.
func TestSelfTest_Cancelled_BlamesNoWalls(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	state := t.TempDir()
	if err := os.Mkdir(filepath.Join(state, "private"), 0o700); err != nil {
		t.Fatal(err)
	}
	if findings, err := TryEscapes(ctx, silentWorker{end}, state, Account{}, false); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", findings, err)
	}
}
