// Package engine keeps one SQLite database open for the life of a process, and is the only one that
// does: it locks the file once, and any other program that opens it meanwhile is told that it is
// busy.
//
// There is one connection. Whoever reads or writes takes it for that long. Write functions queue
// for a goroutine that runs all that wait in one transaction, so that they share one fsync; each
// fails alone. When Write has returned nil, what it wrote survives the end of the process and a
// loss of power.
//
// The schema is the caller's, but for one table: setting (user, name, value), in which the engine
// marks a proper close.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/ncruces/go-sqlite3"
)

// Options are what a DB needs from outside.
type Options struct {
	Now        func() time.Time                     // nil is time.Now
	Log        hclog.Logger                         // nil logs nothing
	Filesystem func(dir string) (Filesystem, error) // what dir lies on; nil asks the kernel
	// migration/0001_name.sql and so on, without a gap
	Migrations fs.FS
	// by which SQLite reaches its files; "" is the engine's own
	VFS       string
	Committed func() // called after each commit; nil is nothing
	// how long to wait for another program that has the file open; 0 is five seconds
	Patience time.Duration

	// Rebuildable has a commit not wait for the disk: what was written last may be lost with the
	// power. The file stays sound.
	Rebuildable bool
	// called with each connection before its first statement, such as to have more functions; nil
	// is nothing
	Extend func(*sqlite3.Conn) error
}

// DB is an open database. Its methods may be called from any goroutine; Write waits until Run has
// begun.
type DB struct {
	path     string
	o        Options
	queue    chan *request // unbuffered: the caller of a request in it still waits to hand it over
	stopped  chan struct{}
	stopOnce sync.Once
	started  atomic.Bool
	late     bool // it was not closed properly, and is too large to be checked before the start

	mu   sync.Mutex  // guards what follows
	conn *connection // nil after a failure that it did not survive, and once it is closed
	done bool        // Close was called

	// Used by the goroutine that writes alone.
	unmarked bool // the mark of a proper close has been deleted
	scrubDue bool // the journal may hold what is to be left nowhere
}

// Open opens the database at path, makes it if it is not there, and brings its schema up to date.
// It refuses a file system of another machine, an SQLite with known defects, a schema newer than
// the migrations, and a damaged file. The caller calls Close.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log, o.VFS = cmp.Or(o.Log, hclog.NewNullLogger()), cmp.Or(o.VFS, vfsName)
	if o.Filesystem == nil {
		o.Filesystem = filesystem
	}
	if o.Committed == nil {
		o.Committed = func() {}
	}
	if o.Extend == nil {
		o.Extend = func(*sqlite3.Conn) error { return nil }
	}
	db := &DB{path: path, o: o, queue: make(chan *request), stopped: make(chan struct{})}
	if err := db.open(ctx); err != nil {
		return nil, blameFullDisk(err, filepath.Dir(path), o.Filesystem)
	}
	return db, nil
}

func (db *DB) open(ctx context.Context) (err error) {
	if db.path, err = prepareFile(db.path, db.o.Filesystem); err != nil {
		return err
	}
	conn, err := connect(ctx, db.path, db.o)
	if err != nil {
		return err
	}
	if db.late, err = conn.prepare(db.path, db.o.Migrations); err != nil {
		return errors.Join(err, conn.close())
	}
	db.conn = conn
	return nil
}

// Now is the time by the clock of the database's transactions.
func (db *DB) Now() time.Time { return db.o.Now() }

// Run writes until ctx ends. Then it finishes the writes that wait, marks the database as properly
// closed and returns; writes that come later are refused. It may be called once. An error means
// that the database is damaged.
func (db *DB) Run(ctx context.Context) error {
	if !db.started.CompareAndSwap(false, true) {
		return errors.New("run the database: it has run before")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	checked := make(chan error, 1)
	go func() {
		err := db.checkLate(ctx)
		if err != nil {
			cancel()
		}
		checked <- err
	}()
	db.writeUntil(ctx)
	cancel()
	err := <-checked
	switch {
	case errors.Is(err, errCheckCut): // it stays marked as not closed, and is checked the next time
		return nil
	case err != nil:
		return fmt.Errorf("check the database %s: %w", db.path, err)
	}
	if err := db.finish(); err != nil {
		db.o.Log.Warn("the database could not be marked as closed; it will be checked at the next start", "error", err)
	}
	return nil
}

// Close closes the database. It is called after Run has returned, or instead of Run.
func (db *DB) Close() error {
	db.stop()
	db.mu.Lock()
	defer db.mu.Unlock()
	conn := db.conn
	db.conn, db.done = nil, true
	if conn == nil {
		return nil
	}
	if err := conn.close(); err != nil {
		return fmt.Errorf("close the database %s: %w", db.path, err)
	}
	return nil
}

// with has fn use the connection, which nobody else uses meanwhile. A connection that was given up
// is opened anew.
func (db *DB) with(fn func(*connection) error) (err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	switch {
	case db.done:
		return ErrClosed
	case db.conn == nil:
		if db.conn, err = connect(context.Background(), db.path, db.o); err != nil {
			return fmt.Errorf("open a new connection: %w", err)
		}
	}
	return fn(db.conn)
}
