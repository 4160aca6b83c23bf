package engine

import (
	"errors"
	"path/filepath"
	"testing"
)

// A program whose successor has migrated the database and has not opened gets its database back.
func TestOpen_MigrationNotOpened_IsUndone(t *testing.T) {
	const more = "CREATE TABLE more (id INTEGER) STRICT"
	opens := func(value string) func(*Tx) error {
		return func(t *Tx) error {
			return t.Exec("INSERT OR REPLACE INTO setting (user, name, value) VALUES ('', ?, ?)", OpenedSetting, value)
		}
	}
	for name, c := range map[string]struct {
		before, after string // values of the setting, before and after the migration; "" means none
		noCopy        bool
		notes         string // the notes that the old program finds; "" means that it refuses
	}{
		"not opened":   {"1 v1", "", false, "a"},
		"opened":       {"1 v1", "2 v2", false, ""},
		"never opened": {"", "", false, ""},
		"no copy":      {"1 v1", "", true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mews.db")
			write := func(o Options, value string, words ...string) {
				db, err := Open(t.Context(), path, o)
				if err != nil {
					t.Fatal(err)
				}
				r := &rig{T: t, db: db}
				stop := r.run()
				for _, w := range words {
					r.same("written", r.write(note(w)), nil)
				}
				if value != "" {
					r.same("recorded", r.write(opens(value)), nil)
				}
				stop()
			}
			write(Options{Migrations: testMigrations}, c.before, "a")
			write(Options{Migrations: twoMigrations(more), KeepCopy: !c.noCopy}, c.after, "b")
			db, err := Open(t.Context(), path, Options{Migrations: testMigrations})
			if c.notes == "" {
				if problem, _ := ProblemOf(err); problem != ProblemNewerSchema {
					t.Errorf("problem %q, %v", problem, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r := &rig{T: t, db: db}
			r.same("notes", r.notes(), c.notes)
			r.same("checked", errors.Join(db.conn.quickCheck(), db.Close()), nil)
			aside, err := filepath.Glob(path + unopenedInfix + "*")
			if err != nil || len(aside) != 1 {
				t.Errorf("the migrated database is %q, %v", aside, err)
			}
		})
	}
}
