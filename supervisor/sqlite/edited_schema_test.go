package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"mews/supervisor"
	"mews/supervisor/problem"
)

// schemaEdits are changes of a database by hand, each with the difference that a start reports. ""
// means that the database opens.
var schemaEdits = []struct{ name, edit, difference string }{
	{"no edit", ``, ""},
	{"statistics", `ANALYZE`, ""},
	{"copied", `VACUUM`, ""},
	{"no index", `DROP INDEX inbox_waiting`, "the index inbox_waiting is missing"},
	{"other index", `DROP INDEX inbox_waiting; CREATE INDEX inbox_waiting ON inbox (user)`,
		"the index inbox_waiting is another"},
	{"one more index", `CREATE INDEX fast ON message (created_at)`, "the index fast is not of this program"},
	{"no trigger", `DROP TRIGGER audit_is_not_deleted`, "the trigger audit_is_not_deleted is missing"},
	{"one more trigger", `CREATE TRIGGER watch AFTER INSERT ON audit BEGIN SELECT 1; END`,
		"the trigger watch is not of this program"},
	{"one more column", `ALTER TABLE message ADD COLUMN mood TEXT`, "the column message.mood is not of this program"},
	{"renamed column", `ALTER TABLE message RENAME COLUMN recap TO summary`, "the column message.recap is missing"},
	{"no column", `ALTER TABLE conversation DROP COLUMN trimmed`, "the column conversation.trimmed is missing"},
	{"no table", `DROP TABLE blob`, "the table blob is missing"},
	{"one more table", `CREATE TABLE photo (id INTEGER)`, "the table photo is not of this program"},
	{"one more view", `CREATE VIEW latest AS SELECT * FROM message`, "the view latest is not of this program"},
	{"other check", `PRAGMA writable_schema = on;
		UPDATE sqlite_schema SET sql = replace(sql, '''assistant''', '''helper''') WHERE name = 'message'`,
		"the table message is another"},
}

// The database was new with this version, or it has had all migrations.
func TestOpen_EditedSchema_IsRefused(t *testing.T) {
	dir, kept := t.TempDir(), newSchema
	t.Cleanup(func() { newSchema = kept })
	openAndClose(t, filepath.Join(dir, "new"), Options{})
	newSchema = ""
	openAndClose(t, filepath.Join(dir, "migrated"), Options{})
	newSchema = kept
	for _, origin := range []string{"new", "migrated"} {
		for _, c := range schemaEdits {
			t.Run(origin+", "+c.name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "mews.db")
				database, err := os.ReadFile(filepath.Join(dir, origin))
				if err == nil {
					err = os.WriteFile(path, database, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
				conn, err := sqlite3.Open("file:" + path)
				if err == nil {
					err = errors.Join(conn.Exec(c.edit), conn.Close())
				}
				if err != nil {
					t.Fatal(err)
				}
				_, examined := ExamineDatabase(t.Context(), path)
				db, err := Open(t.Context(), path, Options{})
				if c.difference == "" {
					if err := errors.Join(examined, err, db.Close()); err != nil {
						t.Error(err)
					}
					return
				}
				want := problem.New(problem.DatabaseSchemaDiffers, nil, len(released), c.difference).Message
				for _, err := range []error{examined, err} {
					if e := new(supervisor.Error); !errors.As(err, &e) || e.Message != want {
						t.Errorf("got %v, want %q", err, want)
					}
				}
				openAndClose(t, path, Options{AllowDifferences: true})
			})
		}
	}
}

func openAndClose(t *testing.T, path string, o Options) {
	t.Helper()
	db, err := Open(t.Context(), path, o)
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
