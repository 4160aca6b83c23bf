package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/backup"
)

var upkeepNow = time.Date(2026, 10, 30, 12, 0, 0, 0, time.UTC)

// checkFault compares a fault with the beginning of the wanted one; "" means none.
func checkFault(t *testing.T, name, got, want string) {
	t.Helper()
	if (got == "") != (want == "") || !strings.HasPrefix(got, want) {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
}

func madeAt(age, homesAge time.Duration) *backup.Found {
	m := &backup.Manifest{MadeAt: upkeepNow.Add(-age)}
	if homesAge > 0 {
		m.Homes = []backup.Home{{User: "ann", ReadAt: upkeepNow.Add(-homesAge)}}
	}
	return &backup.Found{Manifest: m}
}

func TestLateBackup_Age_IsFault(t *testing.T) {
	const day = 24 * time.Hour
	checkFault(t, "none", lateBackup(nil, upkeepNow), "there is none")
	checkFault(t, "fresh", lateBackup(madeAt(time.Hour, day), upkeepNow), "")
	checkFault(t, "without homes", lateBackup(madeAt(time.Hour, 0), upkeepNow), "")
	checkFault(t, "old", lateBackup(madeAt(27*time.Hour, 27*time.Hour), upkeepNow), "the newest is of")
	checkFault(t, "old homes", lateBackup(madeAt(time.Hour, 3*day), upkeepNow), "no home was read")
	checkFault(t, "clock that was ahead", lateBackup(madeAt(-day, -day), upkeepNow), "")
}

func TestLateCopy_OlderThanBackup_IsFault(t *testing.T) {
	checkFault(t, "same", lateCopy(upkeepNow, upkeepNow), "")
	checkFault(t, "a day", lateCopy(upkeepNow, upkeepNow.Add(-25*time.Hour)), "")
	checkFault(t, "old", lateCopy(upkeepNow, upkeepNow.Add(-27*time.Hour)), "the newest copy is of")
	checkFault(t, "none", lateCopy(upkeepNow, time.Time{}), "there is no copy")
}

// newUpkeepService returns a service whose backups fail, with one user.
func newUpkeepService(t *testing.T) *service {
	t.Helper()
	s := &service{storage: storage{config: &config.Config{State: t.TempDir()},
		now: func() time.Time { return upkeepNow }, since: upkeepNow.Add(-24 * time.Hour)}}
	s.config.Backup.On = true
	var err error
	if s.people, err = access.NewPeople(nil, 0, nil); err != nil {
		t.Fatal(err)
	}
	s.backups = backup.New(backup.Options{Dir: filepath.Join(s.config.State, "file"), Now: s.now})
	if err := os.WriteFile(filepath.Join(s.config.State, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBackupFault_FailedBackup_IsFault: a backup that fails is a fault at once, if backups are
// configured.
func TestBackupFault_FailedBackup_IsFault(t *testing.T) {
	s := newUpkeepService(t)
	if _, err := s.backups.Make(t.Context(), true); err == nil {
		t.Fatal("the backup has not failed")
	}
	checkFault(t, "failed", s.backupFault(), "the last one failed: make the folder of backups")
	s.config.Backup.On = false
	checkFault(t, "not configured", s.backupFault(), "")
}

func TestDrillFault_Failure_IsFault(t *testing.T) {
	s := newUpkeepService(t)
	checkFault(t, "no drill", s.drillFault(), "")
	private := filepath.Join(s.config.State, "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"backup": "/b/mews-1"}`:                                   "",
		`{"backup": "/b/mews-1", "failure": "mews.db is damaged."}`: "mews-1 is not whole: mews.db is damaged",
	} {
		if err := os.WriteFile(filepath.Join(private, "drill.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		checkFault(t, text, s.drillFault(), want)
	}
}

// TestLookUpdate_Result_IsRead: the result of mews-update says whether the last update failed.
func TestLookUpdate_Result_IsRead(t *testing.T) {
	result, number := filepath.Join(t.TempDir(), "result"), filepath.Join(t.TempDir(), "number")
	if u := lookUpdate(result, number); u != (UpdateState{}) {
		t.Errorf("without files: %+v", u)
	}
	for text, want := range map[string]string{"v1.2.0 is installed\n": "",
		"v1.2.0 was refused: no.\n": "v1.2.0 was refused: no"} {
		if err := os.WriteFile(result, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if u := lookUpdate(result, number); u.Failure != want || u.At.IsZero() || u.Result != strings.TrimSpace(text) {
			t.Errorf("%q: %+v", text, u)
		}
	}
	if err := os.WriteFile(number, []byte("7"), 0o600); err != nil {
		t.Fatal(err)
	}
	if u := lookUpdate(result, number); u.FeedAt.IsZero() {
		t.Errorf("the index was read: %+v", u)
	}
}

func TestSafeModeFault_Reason_IsTold(t *testing.T) {
	s := &service{}
	checkFault(t, "off", s.safeModeFault(), "")
	s.safe.on = true
	checkFault(t, "flag", s.safeModeFault(), "it was started with --safe-mode")
	s.safe.counted = crashesToSafeMode
	checkFault(t, "crashes", s.safeModeFault(), "it crashed 5 times")
}

// TestMakeNewHomes_Restore_MakesOwnHomes: a restore into a new state folder makes the homes in it, and no
// other home. Otherwise the database would say that they are lost.
func TestMakeNewHomes_Restore_MakesOwnHomes(t *testing.T) {
	s := newUpkeepService(t)
	own, other := filepath.Join(s.config.State, "homes", "ann"), filepath.Join(s.config.State, "elsewhere", "ben")
	var err error
	s.people, err = access.NewPeople([]supervisor.User{{Name: "ann", Role: supervisor.RoleAdmin, Home: own},
		{Name: "ben", Role: supervisor.RoleUser, Home: other}}, 0, nil)
	if err == nil {
		err = os.Mkdir(filepath.Dir(own), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, s.newHomes = range []bool{false, true, true} {
		if err := s.makeNewHomes(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(own); (err == nil) != s.newHomes {
			t.Errorf("new homes %v: %v", s.newHomes, err)
		}
	}
	if _, err := os.Stat(filepath.Dir(other)); err == nil {
		t.Error("a home elsewhere was made")
	}
}
