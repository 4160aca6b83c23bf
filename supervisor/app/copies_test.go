package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mews/supervisor/logging"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

const countOfCopies = `SELECT count(*) FROM setting WHERE name = 'copies.served'`

// Copies are deleted after the service has run for seven days. A new copy starts the count again,
// also for the older copies.
func TestDBCopies_SevenDaysOfService_AreDeleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mews.db")
	s := &storage{db: sqlitetest.OpenPath(t, path, sqlite.Options{}), log: logging.Discard()}
	put := func(suffix string) {
		if err := os.WriteFile(path+suffix, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	count := func(hours, want int) {
		t.Helper()
		for range hours {
			if err := s.countServed(t.Context(), time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		if list, err := s.db.MigrationCopies().List(); err != nil || len(list) != want {
			t.Errorf("there are %q, %v; want %d", list, err, want)
		}
	}
	counted := func(want string) {
		t.Helper()
		if got := sqlitetest.QueryColumn(t, s.db, countOfCopies); got[0] != want {
			t.Errorf("%s counts are kept, want %s", got[0], want)
		}
	}
	count(200, 0)
	counted("0")
	put(".schema41")
	count(167, 1)
	put(".schema42")
	count(167, 2)
	counted("1")
	count(1, 0)
	counted("0")
	put(".schema43")
	count(167, 1)
	count(1, 0)
}

// TestDBCopies_ShortRuns_AddUpToSevenDays restarts a service more often than it updates the counted time. It
// also reads a count that an earlier version stored.
func TestDBCopies_ShortRuns_AddUpToSevenDays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mews.db")
	s := &storage{db: sqlitetest.OpenPath(t, path, sqlite.Options{}), log: logging.Discard()}
	if err := os.WriteFile(path+".schema41", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, s.db.Settings().Put(t.Context(), "", copyServed, "160 "+path+".schema41"))
	for range 4 * 7 {
		must(t, s.countServed(t.Context(), 15*time.Minute))
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	must(t, s.keepCopies(ctx)) // keepCopies also counts when its context ends
	stored, _, err := s.db.Settings().Find(t.Context(), "", copyServed)
	if want := "167h0m0s " + path + ".schema41"; stored != want || err != nil {
		t.Errorf("counted %q, %v; want %q", stored, err, want)
	}
	must(t, s.countServed(t.Context(), time.Hour))
	if list, err := s.db.MigrationCopies().List(); err != nil || len(list) != 0 {
		t.Errorf("there are %q, %v", list, err)
	}
}
