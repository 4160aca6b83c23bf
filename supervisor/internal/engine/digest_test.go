package engine

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

const (
	first  = "migration/0001_first.sql"
	second = "migration/0002_more.sql"
)

// twoMigrations returns the test's migrations and a second migration with the given body.
func twoMigrations(body string) fstest.MapFS {
	files := maps.Clone(testMigrations)
	files[second] = &fstest.MapFile{Data: []byte(body)}
	return files
}

// forgetDigests deletes the digests of all migrations from a database.
const forgetDigests = `DELETE FROM setting WHERE name LIKE 'migration/%';`

func TestOpen_OtherMigrations_AreRefused(t *testing.T) {
	const tables = `CREATE TABLE more (id INTEGER PRIMARY KEY, text TEXT NOT NULL DEFAULT 'a') STRICT;
		CREATE INDEX more_text ON more (text)`
	rebuilt := func(definition string) string {
		return forgetDigests + `DROP TABLE more; CREATE TABLE more (` + definition + `) STRICT;
			CREATE INDEX more_text ON more (text)`
	}
	for _, c := range []struct {
		name, changed string // the test's change of the database
		difference    string // the reported difference; "" means that the database opens
		kept          int    // number of stored digests after opening
	}{
		{"no change", ``, "", 2},
		{"no digests", forgetDigests, "", 2},
		{"one digest", `DELETE FROM setting WHERE name = '` + first + `'`, "", 2},
		{"edited migration", `UPDATE setting SET value = 'x' WHERE name = '` + first + `'`, first + " was another", 2},
		{"another name", `UPDATE setting SET name = 'migration/0002_other.sql' WHERE name = '` + second + `'`,
			"migration/0002_other.sql was applied", 2},
		{"missing table", forgetDigests + `DROP TABLE more`, "the table more is missing", 0},
		{"missing index", forgetDigests + `DROP INDEX more_text`, "the index more_text is missing", 0},
		{"column that may be null", rebuilt(`id INTEGER PRIMARY KEY, other TEXT, text TEXT`),
			"the column more.text is another", 0},
		{"column of another type", rebuilt(`id INTEGER PRIMARY KEY, text INTEGER NOT NULL DEFAULT 'a'`),
			"the column more.text is another", 0},
		{"column with another default", rebuilt(`id INTEGER PRIMARY KEY, text TEXT NOT NULL DEFAULT 'b'`),
			"the column more.text is another", 0},
		{"one more column", rebuilt(`id INTEGER PRIMARY KEY, text TEXT NOT NULL DEFAULT 'a', last INTEGER`),
			"the column more.last is not of this program", 0},
		{"another check", rebuilt(`id INTEGER PRIMARY KEY, text TEXT NOT NULL DEFAULT 'a', CHECK (id > 0)`),
			"the table more is another", 0},
		{"missing column", forgetDigests + `DROP INDEX more_text; ALTER TABLE more DROP COLUMN text;
			CREATE INDEX more_text ON more (id)`, "the column more.text is missing", 0},
		{"one more table", forgetDigests + `CREATE TABLE photo (id INTEGER)`,
			"the table photo is not of this program", 0},
		{"one more trigger", forgetDigests + `CREATE TRIGGER t BEFORE DELETE ON more BEGIN SELECT 1; END`,
			"the trigger t is not of this program", 0},
		{"another index", forgetDigests + `DROP INDEX more_text; CREATE INDEX more_text ON more (id)`,
			"the index more_text is another", 0},
		{"digest of a migration and a change", `DELETE FROM setting WHERE name = '` + first + `'; DROP INDEX more_text`,
			"the index more_text is missing", 1},
		{"change by hand", `DROP INDEX more_text`, "the index more_text is missing", 2},
		{"change by hand at an older version", `DROP TABLE more; PRAGMA user_version = 1; ALTER TABLE setting ADD more TEXT;
			DELETE FROM setting WHERE name = '` + second + `'`, "the column setting.more is not of this program", 2},
		{"statistics of SQLite", forgetDigests + `ANALYZE`, "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, o := filepath.Join(t.TempDir(), "mews.db"), Options{Migrations: twoMigrations(tables)}
			open := func(o Options) error {
				db, err := Open(t.Context(), path, o)
				if err != nil {
					return err
				}
				return db.Close()
			}
			if err := open(o); err != nil {
				t.Fatal(err)
			}
			if err := databaseOf(c.changed)(path); err != nil {
				t.Fatal(err)
			}
			problem, facts := ProblemOf(open(o))
			refused := problem == ProblemOtherMigrations
			if refused != (c.difference != "") || !refused && problem != ProblemNone {
				t.Fatalf("problem %q, %v; want %q", problem, facts, c.difference)
			}
			if c.difference != "" && !strings.HasPrefix(fmt.Sprint(facts[1]), c.difference) {
				t.Errorf("the difference is %q, want %q", facts[1], c.difference)
			}
			o.AllowDifferences = true
			if err := open(o); err != nil {
				t.Errorf("it is used as it is: %v", err)
			}
			r := &rig{T: t}
			var err error
			if r.db, err = Open(t.Context(), path, o); err != nil {
				t.Fatal(err)
			}
			defer r.run()()
			r.same("digests", r.count("SELECT count(*) FROM setting WHERE name LIKE 'migration/%'"), c.kept)
		})
	}
}

// A database with a known schema gets the right schema and keeps its rows, in the transaction of
// the next migration.
func TestOpen_KnownOldSchema_IsConverted(t *testing.T) {
	const table = `CREATE TABLE %s (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL%s) STRICT;
		CREATE INDEX more_text ON more (text)`
	path := filepath.Join(t.TempDir(), "mews.db")
	old := twoMigrations(fmt.Sprintf(table, "more", ""))
	db, err := Open(t.Context(), path, Options{Migrations: old})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	err = databaseOf(forgetDigests + `INSERT INTO more (text) VALUES ('a'), ('b'), ('c');
		DELETE FROM more WHERE text = 'c'`)(path)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Migrations: twoMigrations(fmt.Sprintf(table, "more", ", last TEXT NOT NULL DEFAULT 'z'") +
		"; CREATE INDEX more_last ON more (last)")}
	_, err = Open(t.Context(), path, o)
	problem, facts := ProblemOf(err)
	if problem != ProblemOtherMigrations {
		t.Fatal(err)
	}
	o.KnownSchemas = []string{fmt.Sprint(facts[2])}
	files := maps.Clone(o.Migrations.(fstest.MapFS))
	files["migration/0003_bad.sql"] = &fstest.MapFile{Data: []byte("INSERT INTO nowhere VALUES (1)")}
	bad := o
	bad.Migrations = files
	if _, err := Open(t.Context(), path, bad); err == nil || !strings.Contains(err.Error(), "0003_bad.sql") {
		t.Fatal(err)
	}
	if again, _ := Open(t.Context(), path, Options{Migrations: old}); again == nil { // the schema is unchanged
		t.Fatal("it has another form")
	} else if err := errors.Join(again.Close(), databaseOf(forgetDigests)(path)); err != nil {
		t.Fatal(err)
	}
	files["migration/0003_bad.sql"] = &fstest.MapFile{Data: []byte("INSERT INTO more (text) VALUES (json_array(1))")}
	if db, err = Open(t.Context(), path, bad); err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, db: db}
	defer r.run()()
	rows, err := AllRows(db.Reader(t.Context()), ScanString, `SELECT id || text || last FROM more ORDER BY id`)
	r.same("error", err, nil)
	r.same("rows", strings.Join(rows, " "), "1az 2bz 4[1]z")
	r.same("indexes", r.count("SELECT count(*) FROM pragma_index_list('more')"), 2)
	r.same("digests", r.count("SELECT count(*) FROM setting WHERE name LIKE 'migration/%'"), 3)
}
