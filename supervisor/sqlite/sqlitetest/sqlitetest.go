// Package sqlitetest gives each test a real database.
package sqlitetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/driver" // the driver that reads copies of databases

	"mews/supervisor/app/policies"
	"mews/supervisor/internal/engine"
	"mews/supervisor/sqlite"
)

// Open opens a database in a temporary folder and runs it until the test ends.
func Open(t testing.TB) *sqlite.DB {
	t.Helper()
	return OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{})
}

// template is an empty database, which is made once and copied. Running all migrations takes twenty
// times as long as copying.
var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "mews-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "mews.db")
	db, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// OpenPath opens the database at path and runs it until the test ends. By default /stop and /new
// end a turn, and the policies are the service's.
func OpenPath(t testing.TB, path string, o sqlite.Options) *sqlite.DB {
	t.Helper()
	if o.EndsTurn == nil {
		o.EndsTurn = []string{"stop", "new"}
	}
	if o.Policies.Gate.Refuse == nil {
		o.Policies = policies.All()
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		empty, err := template()
		if err := errors.Join(err, os.WriteFile(path, empty, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sqlite.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ran := make(chan error, 1)
	go func() { ran <- db.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// CreateDatabase makes a database at path by SQL statements. It can make one of an earlier version.
func CreateDatabase(t testing.TB, path, statements string) {
	t.Helper()
	conn, err := sqlite3.Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(conn.Exec(statements), conn.Close()); err != nil {
		t.Fatal(err)
	}
}

// QueryColumn returns the first column of a query's rows.
func QueryColumn(t testing.TB, db *sqlite.DB, query string, args ...any) (found []string) {
	t.Helper()
	var err error
	db.WithEngine(func(e *engine.DB) {
		found, err = engine.AllRows(e.Reader(t.Context()), engine.ScanString, query, args...)
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return found
}

// QueryColumnInCopy returns the first column of a query's rows, from a copy of a database. Another
// process may have the database at path open.
func QueryColumnInCopy(t testing.TB, path, query string, args ...any) (found []string) {
	t.Helper()
	withCopy(t, path, func(db *sql.DB) { found = firstColumn(t, db, query, args...) })
	return found
}

func firstColumn(t testing.TB, db *sql.DB, query string, args ...any) (found []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	first, rest := sql.NullString{}, make([]any, len(columns))
	for i := range rest {
		rest[i] = new(any)
	}
	rest[0] = &first
	for err == nil && rows.Next() {
		err = rows.Scan(rest...)
		found = append(found, first.String)
	}
	if err := errors.Join(err, rows.Err()); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return found
}

// ExecStatements runs any statements that change a running database.
func ExecStatements(t testing.TB, db *sqlite.DB, statements string) {
	t.Helper()
	var err error
	db.WithEngine(func(e *engine.DB) {
		err = e.Write(t.Context(), func(t *engine.Tx) error { return t.RunScript(statements) })
	})
	if err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

// OpenCopy opens a copy of a database that another process may have open and locked. The copy has
// all data that was on the disk at the call. It is deleted after the test. The caller closes it.
func OpenCopy(t testing.TB, path string) *sql.DB {
	t.Helper()
	return openCopy(t, path, t.TempDir())
}

func openCopy(t testing.TB, path, dir string) *sql.DB {
	t.Helper()
	copied := filepath.Join(dir, "copy.db")
	copyDatabase(t, path, copied)
	db, err := sql.Open("sqlite3", "file:"+copied)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// journalHeader is the length of the header of a write-ahead log. The header has random numbers
// that change when the log restarts. (https://www.sqlite.org/fileformat2.html#walformat)
const journalHeader = 32

// copyDatabase copies a database and its journal as they are at one moment. Pages that move into
// the database file meanwhile are still in the journal, unless the journal restarts. SQLite ignores
// incomplete frames.
func copyDatabase(t testing.TB, from, to string) {
	t.Helper()
	for until := time.Now().Add(time.Minute); time.Now().Before(until); {
		header := readHeader(t, from)
		copyFile(t, from, to)
		journal := readJournal(t, from)
		if !bytes.HasPrefix(journal, header) || !bytes.Equal(header, readHeader(t, from)) {
			continue // the journal restarted meanwhile
		}
		if len(header) == 0 && !bytes.Equal(readFile(t, to), readFile(t, from)) {
			continue // the journal was emptied meanwhile
		}
		if err := os.WriteFile(to+"-wal", journal, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("%s changes too fast to be copied", from)
}

// copyFile copies a file in the kernel, which costs little with the race detector.
func copyFile(t testing.TB, from, to string) {
	t.Helper()
	source, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(target, source)
	if err := errors.Join(err, target.Close()); err != nil {
		t.Fatal(err)
	}
}

func readHeader(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	header := make([]byte, journalHeader)
	n, err := io.ReadFull(f, header)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	return header[:n]
}

func readJournal(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return content
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
