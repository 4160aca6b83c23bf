package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ncruces/go-sqlite3"
)

// openAndWrite opens the database at path, runs the writes do, and closes the database. If killed
// is true, it leaves the database as a kill does.
func openAndWrite(t *testing.T, path string, killed bool, do ...func(*Tx) error) {
	t.Helper()
	r := newRigAt(t, path)
	if killed {
		defer r.crash(path)
	}
	stop := r.run()
	defer stop()
	for _, fn := range do {
		if err := r.write(fn); err != nil {
			t.Fatal(err)
		}
	}
}

// crash deletes the mark of a proper close, as if the process had been killed.
func (r *rig) crash(path string) {
	r.Helper()
	if err := databaseOf(unmarkClean)(path); err != nil {
		r.Fatal(err)
	}
}

func TestOpen_FileMode_IsOwnerOnly(t *testing.T) {
	was := syscall.Umask(0)
	defer syscall.Umask(was)
	path := filepath.Join(t.TempDir(), "a b+c#d?e%20f&mode=memory.db")
	r := newRigAt(t, path)
	defer r.run()()
	r.same("write", r.write(note("a")), nil)
	r.same("notes", r.notes(), "a")
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		r.same("mode of "+suffix, info.Mode().String(), "-rw-------")
	}
}

func TestOpen_Pragmas_AreSet(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	for pragma, want := range map[string]int64{"synchronous": 2, "foreign_keys": 1, "busy_timeout": 5000,
		"cell_size_check": 1, "trusted_schema": 0, "temp_store": 2, "application_id": applicationID,
		"user_version": 1} {
		if got := r.count("PRAGMA " + pragma); int64(got) != want {
			t.Errorf("%s is %d, want %d", pragma, got, want)
		}
	}
	for pragma, want := range map[string]string{"journal_mode": "wal", "locking_mode": "exclusive"} {
		var got string
		err := r.write(func(t *Tx) (err error) { got, _, err = FirstRow(t, ScanString, "PRAGMA "+pragma); return err })
		if err != nil || got != want {
			t.Errorf("%s is %s, want %s; %v", pragma, got, want, err)
		}
	}
}

// A statement is prepared only once, even with other parameters.
func TestStatement_OtherParameters_IsPreparedOnce(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	const query = "SELECT id FROM word WHERE text = '' ORDER BY id LIMIT ?"
	for limit := range 4 {
		r.same("error", r.db.Reader(t.Context()).Query(nil, query, limit+1), nil)
	}
	r.same("prepared again", r.db.conn.statements[query].Status(sqlite3.STMTSTATUS_REPREPARE, false), 0)
}

func TestOpen_BadFile_Fails(t *testing.T) {
	remote := func(string) (Filesystem, error) { return Filesystem{Name: "NFS", Network: true}, nil }
	unknown := func(string) (Filesystem, error) { return Filesystem{}, syscall.ENOSYS }
	for _, c := range []struct {
		name    string
		there   func(path string) error // makes the file at a path; nil makes no file
		probe   func(string) (Filesystem, error)
		problem Problem
		facts   string
	}{
		{"on a network file system", nil, remote, ProblemNetworkDisk, "NFS"},
		{"unknown file system", nil, unknown, ProblemNone, ""},
		{"no database", fileOf(strings.Repeat("not the bytes of a database ", 50)), nil, ProblemFileDamaged, ""},
		{"database of another program", databaseOf("CREATE TABLE photo (id INTEGER)"), nil, ProblemForeignDatabase, ""},
		{"database of a newer Mews", databaseOf("PRAGMA application_id = 1296389971; PRAGMA user_version = 99"), nil,
			ProblemNewerSchema, "99 1"},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o700) }, nil, ProblemFileUnwritable, ""},
		{"missing folder", func(path string) error { return os.Remove(filepath.Dir(path)) }, nil, ProblemNone, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state", "mews.db")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if c.there != nil {
				if err := c.there(path); err != nil {
					t.Fatal(err)
				}
			}
			db, err := Open(t.Context(), path, Options{Filesystem: c.probe, Migrations: testMigrations})
			problem, facts := ProblemOf(err)
			if err == nil || problem != c.problem || !strings.Contains(fmt.Sprint(facts), c.facts) {
				t.Errorf("got %v, a problem %q with %v, want %q with %q", err, problem, facts, c.problem, c.facts)
			}
			if err == nil {
				db.Close()
			}
		})
	}
}

// fileOf returns a function that makes a file with the content.
func fileOf(content string) func(path string) error {
	return func(path string) error { return os.WriteFile(path, []byte(content), 0o600) }
}

// databaseOf returns a function that makes a database of another program.
func databaseOf(statements string) func(path string) error {
	return func(path string) error {
		conn, err := sqlite3.Open("file:" + path)
		if err != nil {
			return err
		}
		return errors.Join(conn.Exec(statements), conn.Close())
	}
}

func TestCheckVersion_OldSQLite_Fails(t *testing.T) {
	for version, ok := range map[string]bool{"3.51.3": true, "3.53.4": true, "4.0.0": true, "3.51.3.1": true,
		"3.51.2": false, "3.7.0": false, "2.99.99": false, "3.9.9": false, "": false, "3.51": false, "3.x.9": false} {
		if err := checkVersion(version); (err == nil) != ok {
			t.Errorf("%q: %v", version, err)
		}
	}
}

func TestFilesystem_LocalDisk_IsNotNetwork(t *testing.T) {
	fs, err := filesystem(t.TempDir())
	if err != nil || fs.Network {
		t.Errorf("%+v, %v", fs, err)
	}
	if _, err := filesystem("/no/such/folder"); err == nil {
		t.Error("a folder that is not there is on a file system")
	}
}

func TestOpen_UncleanStop_ChecksFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mews.db")
	for _, c := range []struct {
		name                    string
		killed, damaged, refuse bool
	}{
		{"proper stop", false, true, false},
		{"kill without damage", true, false, false},
		{"kill with damage", true, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			os.Remove(path)
			openAndWrite(t, path, c.killed, fillPages)
			if c.damaged {
				damage(t, path)
			}
			db, err := Open(t.Context(), path, Options{Migrations: testMigrations})
			if err == nil {
				defer db.Close()
			}
			if c.refuse != (problemOf(err) == ProblemFileDamaged) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestRun_LargeUncleanDatabase_IsChecked(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "mews.db")
		openAndWrite(t, path, true, fillPages)
		if damaged {
			damage(t, path)
		}
		// The file is made large. Its header says that only the beginning belongs to the database.
		if err := os.Truncate(path, largeDatabase+4096); err != nil {
			t.Fatal(err)
		}
		db, err := Open(t.Context(), path, Options{Migrations: testMigrations})
		if err != nil {
			t.Fatal(err)
		}
		if damaged {
			err = db.Run(t.Context()) // damage ends Run before its context ends
			if problemOf(err) != ProblemFileDamaged {
				t.Errorf("got %v", err)
			}
		} else if err := db.checkLate(t.Context()); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpen_OnlyReads_KeepsCleanMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mews.db")
	openAndWrite(t, path, false, note("a"))
	db, err := Open(t.Context(), path, Options{Migrations: testMigrations})
	if err != nil {
		t.Fatal(err)
	}
	clean, err := db.conn.wasClean()
	if err != nil || !clean {
		t.Errorf("clean is %v; %v", clean, err)
	}
	r := &rig{T: t, db: db}
	stop := r.run()
	if err := db.Write(t.Context(), note("b")); err != nil {
		t.Fatal(err)
	}
	r.same("mark while it writes", r.count(findClean), 0)
	stop()
}

// fillPages adds rows until the database has some dozen pages.
func fillPages(t *Tx) error {
	return t.Exec("INSERT INTO word (text) VALUES (hex(zeroblob(100000)))")
}

// damage overwrites the links between the last pages, which have the rows of fillPages.
func damage(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for at := info.Size() - 10*4096; at < info.Size(); at += 4096 {
		if _, err := f.WriteAt([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), at); err != nil {
			t.Fatal(err)
		}
	}
}
