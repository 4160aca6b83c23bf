package app

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/app/policies"
	"mews/supervisor/backup"
	"mews/supervisor/restore"
	"mews/supervisor/sqlite"
)

func TestIsDrillDue_Month_AndDayAfterFailure(t *testing.T) {
	at := upkeepNow
	for age, want := range map[time.Duration][2]bool{ // after a success, and after a failure
		-time.Hour:          {true, true},
		time.Hour:           {false, false},
		25 * time.Hour:      {false, true},
		31 * 24 * time.Hour: {true, true},
	} {
		whole := isDrillDue(restore.DrillResult{At: at.Add(-age)}, at)
		failed := isDrillDue(restore.DrillResult{At: at.Add(-age), Failure: "no"}, at)
		if whole != want[0] || failed != want[1] {
			t.Errorf("%s: %v, %v", age, whole, failed)
		}
	}
	if !isDrillDue(restore.DrillResult{}, at) {
		t.Error("the first drill is not due")
	}
}

// makeDatabaseBackup makes a backup with a database alone.
func makeDatabaseBackup(t *testing.T, s *service) (dir string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{Policies: policies.All(),
		WithoutCopy: true})
	if err != nil {
		t.Fatal(err)
	}
	made, err := backup.New(backup.Options{Dir: BackupsDir(s.config), State: s.config.State, Version: "1", Most: 100,
		Database: db.BackUp, Changes: db.Changes, Size: func() int64 { return 0 },
		Blobs:    func(context.Context) (map[string]bool, error) { return nil, nil },
		OpenBlob: func(string) (io.ReadCloser, int64, error) { return nil, 0, errors.ErrUnsupported },
		Homes:    func() []backup.HomeSource { return nil },
		Space:    func(string) (free, all int64, err error) { return 1 << 40, 1 << 40, nil },
		Now:      s.now}).Make(t.Context(), true)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return made.Path
}

// TestDrillIfDue_NewestBackup_IsTried: the service tries its newest backup once a month. A damaged one
// is an alarm, and nothing of the drill stays.
func TestDrillIfDue_NewestBackup_IsTried(t *testing.T) {
	s := newUpkeepService(t)
	s.log = hclog.NewNullLogger()
	if err := os.Mkdir(s.private(""), 0o700); err != nil {
		t.Fatal(err)
	}
	drill := func() restore.DrillResult {
		t.Helper()
		if err := s.drillIfDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, _, err := restore.ReadDrill(s.config.State)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := drill(); !r.At.IsZero() {
		t.Errorf("without a backup: %+v", r)
	}
	dir := makeDatabaseBackup(t, s)
	if r := drill(); r.Backup != dir || r.Failure != "" || !r.At.Equal(upkeepNow) {
		t.Errorf("the first drill: %+v", r)
	}
	if err := os.Truncate(filepath.Join(dir, backup.DatabaseName), 4096); err != nil {
		t.Fatal(err)
	}
	if r := drill(); r.Failure != "" {
		t.Errorf("a drill within the month: %+v", r)
	}
	later := upkeepNow.Add(DrillInterval)
	s.now = func() time.Time { return later }
	if r := drill(); r.Failure == "" || !r.At.Equal(later) {
		t.Errorf("a damaged backup: %+v", r)
	}
	checkFault(t, "the alarm", s.drillFault(), filepath.Base(dir)+" is not whole")
	if left, err := os.ReadDir(filepath.Join(s.config.State, "restoring")); err != nil || len(left) > 0 {
		t.Errorf("the drill left %v, %v", left, err)
	}
}
