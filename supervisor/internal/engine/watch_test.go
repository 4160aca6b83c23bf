package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestOpen_MustExist_RefusesMissingOrEmpty(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(path string) error // makes the file at a path; nil makes no file
		bad  bool
	}{
		{"missing", nil, true},
		{"empty", fileOf(""), true},
		{"without a schema", databaseOf("PRAGMA journal_mode = wal; CREATE TABLE a (b); DROP TABLE a"), true},
		{"used", func(path string) error { openAndWrite(t, path, false, note("a")); return nil }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mews.db")
			if c.make != nil {
				if err := c.make(path); err != nil {
					t.Fatal(err)
				}
			}
			const old = "the journal of the missing one"
			if err := os.WriteFile(path+"-wal", []byte(old), 0o600); c.bad && c.make == nil && err != nil {
				t.Fatal(err)
			}
			db, err := Open(t.Context(), path, Options{Migrations: testMigrations, MustExist: true})
			problem, facts := ProblemOf(err)
			if c.bad != (problem == ProblemDatabaseMissing) || c.bad && fmt.Sprint(facts) != "["+path+"]" {
				t.Fatalf("problem %q, %v, %v", problem, facts, err)
			}
			if !c.bad {
				err = db.Close()
			} else if journal, _ := os.ReadFile(path + "-wal"); c.make == nil && string(journal) != old {
				t.Errorf("the journal is %q", journal)
			} else if db, err = Open(t.Context(), path, Options{Migrations: testMigrations}); err == nil {
				err = db.Close() // without MustExist, Open makes the database
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// A removed file is written again, with all accepted writes. A file that has replaced the database
// stays as it is, and the accepted writes are saved beside it. This also holds if the stop comes
// before the next check of the file.
func TestRun_FileRemovedOrReplaced_Ends(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(path string) error
		problem Problem
		notes   string // the stored notes after the next start
	}{
		{"removed", os.Remove, ProblemFileRemoved, "a b"},
		{"removed with its journal", func(path string) error {
			return errors.Join(os.Remove(path), os.Remove(path+"-wal"))
		}, ProblemFileRemoved, "a b"},
		{"removed with its folder", func(path string) error {
			return os.RemoveAll(filepath.Dir(path))
		}, ProblemFileLost, ""},
		{"moved", func(path string) error { return os.Rename(path, path+".moved") }, ProblemFileRemoved, "a b"},
		{"replaced", func(path string) error {
			return os.Rename(filepath.Join(filepath.Dir(path), "other.db"), path)
		}, ProblemFileReplaced, "other"},
		{"untouched", func(string) error { return nil }, ProblemNone, "a b"},
	} {
		for _, wait := range []time.Duration{0, watchInterval + time.Second} {
			t.Run(fmt.Sprintf("%s, stop after %v", c.name, wait), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "state", "mews.db")
				if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				openAndWrite(t, filepath.Join(filepath.Dir(path), "other.db"), false, note("other"))
				saved := ""
				synctest.Test(t, func(t *testing.T) {
					db, err := Open(t.Context(), path, Options{Migrations: testMigrations})
					if err != nil {
						t.Fatal(err)
					}
					ctx, stop := context.WithCancel(t.Context())
					ran := make(chan error, 1)
					go func() { ran <- db.Run(ctx) }()
					err = errors.Join(db.Write(ctx, note("a")), c.change(path), db.Write(ctx, note("b")))
					if err != nil {
						t.Fatal(err)
					}
					time.Sleep(wait) // the fake clock of synctest's bubble advances
					stop()
					problem, facts := ProblemOf(<-ran)
					if problem != c.problem {
						t.Errorf("problem %q %v, want %q", problem, facts, c.problem)
					}
					if problem == ProblemFileReplaced {
						saved = facts[1].(string)
					}
					if err := db.Close(); err != nil && c.problem != ProblemFileLost {
						t.Error(err)
					}
				})
				if c.problem == ProblemFileLost {
					return
				}
				r := newRigAt(t, path)
				defer r.run()()
				r.same("notes", r.notes(), c.notes)
				if saved == "" {
					return
				}
				if copies, err := ListMigrationCopies(path); !slices.Equal(copies, []string{saved}) || err != nil {
					t.Errorf("the copies are %q, %v, want %q", copies, err, saved)
				}
				old := newRigAt(t, saved)
				defer old.run()()
				old.same("saved notes", old.notes(), "a b")
			})
		}
	}
}
