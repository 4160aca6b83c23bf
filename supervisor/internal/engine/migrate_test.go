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

func TestOpen_Migrations_RunInOrderOrFail(t *testing.T) {
	file := func(body string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(body)} }
	for _, c := range []struct {
		name    string
		files   fstest.MapFS
		words   string // part of the expected error; "" means no error
		version int64
		column  int // 1 if the second migration was applied, otherwise 0
	}{
		{"one more migration", fstest.MapFS{"migration/0002_more.sql": file(
			"ALTER TABLE word ADD COLUMN more TEXT")}, "", 2, 1},
		{"failing migration", fstest.MapFS{"migration/0002_more.sql": file(
			"ALTER TABLE word ADD COLUMN more TEXT; INSERT INTO nowhere VALUES (1)")}, "0002_more.sql: ", 1, 0},
		{"a gap in the numbers", fstest.MapFS{"migration/0003_more.sql": file("")}, "its number is not 2", 1, 0},
		{"a name without a number", fstest.MapFS{"migration/more.sql": file("")}, "its number is not 2", 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			defer r.run()()
			maps.Copy(c.files, testMigrations)
			_, err := r.db.conn.migrate(c.files, "", nil)
			if (err == nil) != (c.words == "") || err != nil && !strings.Contains(err.Error(), c.words) {
				t.Errorf("got %v, want %q", err, c.words)
			}
			version, err := r.db.conn.pragma("user_version")
			r.same("error", err, nil)
			r.same("version", version, c.version)
			r.same("column", r.count("SELECT count(*) FROM pragma_table_info('word') WHERE name = 'more'"), c.column)
			r.same("in a transaction", r.db.conn.inTransaction(), false)
		})
	}
}

// A migration may rebuild a table that another table refers to, if all references stay valid.
func TestMigration_RebuiltTable_KeepsReferences(t *testing.T) {
	const first = `CREATE TABLE setting (user TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (user, name)) STRICT;
		CREATE TABLE parent (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL CHECK (kind = 'old')) STRICT;
		CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL REFERENCES parent (id)) STRICT;
		INSERT INTO parent (id, kind) VALUES (1, 'old'), (2, 'old'); INSERT INTO child VALUES (1, 1), (2, 2)`
	const rebuild = `CREATE TABLE parent_new (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL CHECK (kind IN ('old', 'new'))) STRICT;
		INSERT INTO parent_new SELECT * FROM parent WHERE id <= %d; DROP TABLE parent; ALTER TABLE parent_new RENAME TO parent;
		INSERT INTO parent (id, kind) VALUES (7, 'new')`
	for kept, c := range map[int]struct {
		words string // part of the expected error; "" means no error
		rows  int
	}{2: {"", 3}, 1: {"0002_more.sql: row 2 of child names one of parent that is not there", 2}} {
		path := filepath.Join(t.TempDir(), "mews.db")
		files := fstest.MapFS{"migration/0001_first.sql": {Data: []byte(first)}}
		db, err := Open(t.Context(), path, Options{Migrations: files})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		files["migration/0002_more.sql"] = &fstest.MapFile{Data: fmt.Appendf(nil, rebuild, kept)}
		db, err = Open(t.Context(), path, Options{Migrations: files})
		if (err == nil) != (c.words == "") || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("got %v, want %q", err, c.words)
		}
		if err != nil {
			delete(files, "migration/0002_more.sql")
			if db, err = Open(t.Context(), path, Options{Migrations: files}); err != nil {
				t.Fatal(err)
			}
		}
		r := &rig{T: t, db: db}
		stop := r.run()
		r.same("rows", r.count("SELECT count(*) FROM parent"), c.rows)
		r.same("children", r.count("SELECT count(*) FROM child JOIN parent ON parent.id = child.parent"), 2)
		if err := r.write(func(t *Tx) error { return t.Exec("INSERT INTO child (parent) VALUES (9)") }); !errors.Is(err, ErrForeignKey) {
			t.Errorf("a child of nobody: %v", err)
		}
		stop()
	}
}
