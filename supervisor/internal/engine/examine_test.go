package engine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
)

// filesOf returns the names and digests of all files beside a database.
func filesOf(t *testing.T, path string) (files string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files += fmt.Sprintf("%s %x\n", e.Name(), sha256.Sum256(content))
	}
	return files
}

// The function killed makes a database as a kill leaves it. Its last rows are in the journal.
func killed(t *testing.T) func(path string) error {
	return func(path string) error {
		other := filepath.Join(t.TempDir(), "mews.db")
		r := newRigAt(t, other)
		defer r.run()()
		err := errors.Join(r.write(fillPages), r.write(note("a")))
		for _, suffix := range []string{"", "-wal"} {
			content, bad := os.ReadFile(other + suffix)
			err = errors.Join(err, bad, os.WriteFile(path+suffix, content, 0o600))
		}
		return err
	}
}

// soundAtAGlance fails if the check of a start finds damage.
func soundAtAGlance(path string) error {
	conn, err := sqlite3.Open("file:" + path)
	if err != nil {
		return err
	}
	c := &connection{raw: conn, statements: map[string]*sqlite3.Stmt{}}
	return errors.Join(c.quickCheck(), c.close())
}

func TestExamine_StoppedDatabase_IsReadInFull(t *testing.T) {
	closed := func(change string) func(string) error {
		return func(path string) error {
			openAndWrite(t, path, false, fillPages, note("a"))
			return databaseOf(change)(path)
		}
	}
	damagedAfter := func(make func(string) error) func(string) error {
		return func(path string) error {
			err := make(path)
			damage(t, path)
			return err
		}
	}
	for _, c := range []struct {
		name    string
		make    func(path string) error
		problem Problem
		bad     bool
	}{
		{"sound", closed(""), "", false},
		{"killed", killed(t), "", false},
		{"damaged", damagedAfter(closed("")), ProblemFileDamaged, true},
		{"index with another text than its row", func(path string) error {
			const define = `PRAGMA writable_schema = on; UPDATE sqlite_schema
				SET sql = 'CREATE INDEX word_text ON word (text)%s' WHERE name = 'word_text'`
			return errors.Join(closed(`CREATE INDEX word_text ON word (text)`)(path),
				databaseOf(fmt.Sprintf(define, " WHERE id < 0"))(path),
				databaseOf(`UPDATE word SET text = 'other'`)(path), databaseOf(fmt.Sprintf(define, ""))(path),
				soundAtAGlance(path))
		}, ProblemFileDamaged, true},
		{"missing", func(string) error { return nil }, ProblemDatabaseMissing, true},
		{"empty", fileOf(""), ProblemDatabaseMissing, true},
		{"without a schema", databaseOf("CREATE TABLE a (b); DROP TABLE a"), ProblemDatabaseMissing, true},
		{"no database", fileOf(strings.Repeat("not the bytes of a database ", 50)), ProblemFileDamaged, true},
		{"of another program", databaseOf("CREATE TABLE photo (id INTEGER)"), ProblemForeignDatabase, true},
		{"of a newer version", closed("PRAGMA user_version = 99"), ProblemNewerSchema, true},
		{"with another table", closed("CREATE TABLE photo (id INTEGER);" + forgetDigests), ProblemOtherMigrations,
			true},
		{"with another migration", closed("UPDATE setting SET value = 'x' WHERE name LIKE 'migration/%'"),
			ProblemOtherMigrations, true},
		{"row without its parent", closed(`PRAGMA foreign_keys = off;
			CREATE TABLE child (id INTEGER REFERENCES word (id)); INSERT INTO child VALUES (99)`), "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mews.db")
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			before := filesOf(t, path)
			e, err := Examine(t.Context(), path, Options{Migrations: testMigrations})
			if problem, _ := ProblemOf(err); problem != c.problem || (err != nil) != c.bad {
				t.Errorf("problem %q, %v; want %q", problem, err, c.problem)
			}
			if !c.bad && (e.Schema != 1 || e.Bytes == 0) {
				t.Errorf("found %+v", e)
			}
			if after := filesOf(t, path); after != before {
				t.Errorf("files before\n%s, after\n%s", before, after)
			}
		})
	}
}

// Examine also reads the journal that a kill has left. Without the journal it would see another
// database.
func TestExamine_Journal_IsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mews.db")
	if err := killed(t)(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Examine(t.Context(), path, Options{Migrations: testMigrations}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	if _, err := Examine(t.Context(), path, Options{Migrations: testMigrations}); err == nil {
		t.Error("without its journal it is the same")
	}
}

func TestExamine_OpenDatabase_IsLocked(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	r.same("write", r.write(note("a")), nil)
	_, err := Examine(t.Context(), r.db.Path(), Options{Migrations: testMigrations})
	if problemOf(err) != ProblemFileLocked {
		t.Errorf("got %v", err)
	}
}
