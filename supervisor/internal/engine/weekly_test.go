package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// A properly closed database is checked at a start if its last check was a week ago.
func TestOpen_CleanStop_ChecksFileWeekly(t *testing.T) {
	const week = checkInterval
	for _, c := range []struct {
		name    string
		change  string        // the test's change of the database
		after   time.Duration // the time between the making of the database and the start
		damaged bool
		large   bool
		refuse  bool
	}{
		{"before a week is over", "", week - time.Second, true, false, false},
		{"after a week", "", week, true, false, true},
		{"after a year", "", 52 * week, true, false, true},
		{"after a week, sound", "", week, false, false, false},
		{"clock that went back", "", -time.Hour, true, false, true},
		{"made by an earlier version", "DELETE FROM setting WHERE name = 'checked'", time.Second, true, false, true},
		{"unreadable time", "UPDATE setting SET value = 'x' WHERE name = 'checked'", time.Second, true, false, true},
		{"large, before a week is over", "", week - time.Second, true, true, false},
		{"large, after a week", "", week, true, true, true},
		{"large, after a week, sound", "", week, false, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mews.db")
			openAndWrite(t, path, false, fillPages)
			made := time.Now()
			if err := databaseOf(c.change)(path); err != nil {
				t.Fatal(err)
			}
			if c.damaged {
				damage(t, path)
			}
			if c.large {
				if err := os.Truncate(path, largeDatabase+4096); err != nil {
					t.Fatal(err)
				}
			}
			now := made.Add(c.after)
			open := func() (db *DB, err error) {
				o := Options{Migrations: testMigrations, Now: func() time.Time { return now }}
				db, err = Open(t.Context(), path, o)
				if err == nil {
					err = db.checkLate(t.Context())
				}
				return db, err
			}
			db, err := open()
			if db != nil {
				defer db.Close()
			}
			if c.refuse != (problemOf(err) == ProblemFileDamaged) || !c.refuse && err != nil {
				t.Fatalf("got %v", err)
			}
			if c.damaged {
				return
			}
			due, err := db.conn.checkIsDue(now.Add(week - time.Second))
			if err != nil || due {
				t.Errorf("checked: it is due again: %v, %v", due, err)
			}
		})
	}
}

// A database that stays open is checked each week, while writes continue.
func TestRun_LongService_ChecksFileWeekly(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "mews.db")
		openAndWrite(t, path, false, fillPages)
		made := time.Now()
		synctest.Test(t, func(t *testing.T) {
			start := time.Now() // the time on the fake clock of synctest's bubble
			now := func() time.Time { return made.Add(time.Since(start)) }
			db, err := Open(t.Context(), path, Options{Migrations: testMigrations, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			ran := make(chan error, 1)
			go func() { ran <- db.Run(ctx) }()
			time.Sleep(checkInterval - time.Hour)
			dueAt := func(at time.Time) (due bool, err error) {
				err = db.with(func(c *connection) (err error) { due, err = c.checkIsDue(at); return err })
				return due, err
			}
			due, err := dueAt(now())
			if err := errors.Join(err, db.Write(ctx, note("a"))); err != nil || due {
				t.Errorf("before a week: %v, %v", due, err)
			}
			if damaged {
				damage(t, path)
			}
			time.Sleep(time.Hour + 2*watchInterval)
			if damaged {
				if err := <-ran; problemOf(err) != ProblemFileDamaged {
					t.Errorf("got %v", err)
				}
				stop()
				db.Close() // Close may fail here
				return
			}
			if due, err := dueAt(now().Add(checkInterval - time.Hour)); err != nil || due {
				t.Errorf("after a week: %v, %v", due, err)
			}
			if err := db.Write(ctx, func(t *Tx) error { t.ScrubJournal(); return note("b")(t) }); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path + "-wal"); err != nil || info.Size() > 0 {
				t.Errorf("the journal: %v, %v", info.Size(), err)
			}
			stop()
			if err := errors.Join(<-ran, db.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}
