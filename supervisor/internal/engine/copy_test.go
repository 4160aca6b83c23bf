package engine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// filesBeside lists the files in a database's folder, except the database's own files.
func filesBeside(t *testing.T, path string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if n := e.Name(); n != "mews.db" && n != "mews.db-wal" {
			names = append(names, n)
		}
	}
	return strings.Join(names, " ")
}

func TestOpen_Migration_KeepsCopy(t *testing.T) {
	const good, bad = "CREATE TABLE more (id INTEGER) STRICT", "INSERT INTO nowhere VALUES (1)"
	free := func(n int64) func(string) (Filesystem, error) {
		return func(string) (Filesystem, error) { return Filesystem{Free: n}, nil }
	}
	for _, c := range []struct {
		name    string
		second  string // SQL of the next migration; "" means none
		o       Options
		beside  string // files beside the database before the migration
		failed  Problem
		version int64
		want    string
	}{
		{"kept", good, Options{KeepCopy: true}, "", "", 2, "mews.db.schema1"},
		{"no migration", "", Options{KeepCopy: true}, "", "", 1, ""},
		{"not wanted", good, Options{}, "", "", 2, ""},
		{"failed migration", bad, Options{KeepCopy: true}, "", ProblemNone, 1, "mews.db.schema1"},
		{"killed before", good, Options{KeepCopy: true}, "mews.db.schema1.partial", "", 2, "mews.db.schema1"},
		{"copied before", good, Options{KeepCopy: true}, "mews.db.schema1", "", 2, "mews.db.schema1"},
		{"other copy", good, Options{KeepCopy: true}, "mews.db.schema0", "", 2, "mews.db.schema0 mews.db.schema1"},
		{"no room", good, Options{KeepCopy: true, Filesystem: free(copySpare)}, "", ProblemNoRoomForCopy, 1, ""},
		{"no room and not wanted", good, Options{Filesystem: free(copySpare)}, "", "", 2, ""},
		{"enough room", good, Options{KeepCopy: true, Filesystem: free(2 * copySpare)}, "", "", 2, "mews.db.schema1"},
		{"unknown room", good, Options{KeepCopy: true, Filesystem: free(-1)}, "", "", 2, "mews.db.schema1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mews.db")
			openAndWrite(t, path, false, note("a"))
			if c.beside != "" {
				if err := os.WriteFile(filepath.Join(filepath.Dir(path), c.beside), []byte("old"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.o.Migrations = testMigrations; c.second != "" {
				c.o.Migrations = twoMigrations(c.second)
			}
			db, err := Open(t.Context(), path, c.o)
			opens := c.failed == "" && c.second != bad
			if problem, _ := ProblemOf(err); problem != c.failed || (err == nil) != opens {
				t.Fatalf("problem %q, %v", problem, err)
			}
			if err == nil {
				err = db.Close()
			} else {
				err = nil
			}
			r := &rig{T: t}
			r.same("error", err, nil)
			r.same("files", filesBeside(t, path), c.want)
			o := Options{Migrations: testMigrations}
			if c.version == 2 {
				o.Migrations = twoMigrations(good)
			}
			if r.db, err = Open(t.Context(), path, o); err != nil {
				t.Fatal(err)
			}
			r.same("version", r.count("PRAGMA user_version"), int(c.version))
			r.same("notes", r.notes(), "a")
			if err := r.db.Close(); err != nil || !strings.HasSuffix(c.want, "schema1") {
				return
			}
			copied := MigrationCopyPath(path, 1)
			if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info, err)
			}
			if r.db, err = Open(t.Context(), copied, Options{Migrations: testMigrations}); err != nil {
				t.Fatal(err)
			}
			r.same("notes of the copy", r.notes(), "a")
			r.same("checked", errors.Join(r.db.conn.quickCheck(), r.db.Close()), nil)
		})
	}
}

func TestDeleteMigrationCopies_OtherFiles_Stay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mews.db")
	for _, name := range []string{path, MigrationCopyPath(path, 7), MigrationCopyPath(path, 42), MigrationCopyPath(path,
		42) + partialSuffix,
		path + "-wal", filepath.Join(filepath.Dir(path), "index.db.schema1")} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{3, 0} {
		if n, err := DeleteMigrationCopies(path); n != want || err != nil {
			t.Errorf("deleted %d, %v, want %d", n, err, want)
		}
		if got := filesBeside(t, path); got != "index.db.schema1" {
			t.Errorf("there are %s", got)
		}
	}
}
