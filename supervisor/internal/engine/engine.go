// Package engine keeps one SQLite database open for the life of a process. No other package opens
// databases. The file is locked once, and any other program that opens it gets a busy error.
//
// There is one connection, which each reader or writer takes while it works. Write functions wait
// in a queue. One goroutine runs all waiting functions in one transaction, so that they share an
// fsync. Each function fails alone. When Write has returned nil, the data survives the end of the
// process and a loss of power.
//
// The caller defines the schema, except for one table: setting (user, name, value). There the
// engine keeps the digests of the applied migrations and marks a proper close.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/ncruces/go-sqlite3"
)

// Options configures a DB.
type Options struct {
	Now func() time.Time // returns the current time; nil means time.Now
	Log hclog.Logger     // log for errors; nil means no log
	// returns the file system of a folder; nil means that the kernel is asked
	Filesystem func(dir string) (Filesystem, error)
	// files migration/0001_name.sql, migration/0002_name.sql and so on, without a gap
	Migrations fs.FS
	// statements that give an empty database the schema of Migrations, but faster. Each is stored
	// by SQLite as it stands here, begins a line with CREATE, and ends with a semicolon and a
	// newline. "" means that Migrations make the schema.
	NewSchema string
	// copies the database to MigrationCopyPath before the first migration of a start
	KeepCopy  bool
	MustExist bool // makes no new database: refuses a missing or empty file
	// refuses a database that needs migrations, and changes nothing in it
	RefuseOlder bool
	// if the database can't be opened for writing, Open opens it for reading, and Write returns the
	// error
	ReadOnlyIfUnwritable bool
	// digests of other schemas that are accepted. The next migration first changes such a schema to
	// the schema of Migrations. The third fact of ProblemOtherMigrations is such a digest.
	KnownSchemas []string
	// opens a database that other migrations have made, and keeps the differences
	AllowDifferences bool
	// SQLite's access to its files; "" means the engine's own
	VFS      string
	OnCommit func() // called after each commit; nil means no call
	// called before each run of a prepared statement; nil means no call
	OnStatement func()
	// how long to wait for another program that has the file open; 0 means five seconds
	BusyTimeout time.Duration

	// Rebuildable makes commits return without waiting for the disk. A loss of power may lose the
	// last commits, but does not damage the file.
	Rebuildable bool
	// called with each connection before its first statement, for example to add functions; nil
	// means no call
	Extend func(*sqlite3.Conn) error
}

// DB is an open database. Its methods may be called from any goroutine; Write waits until Run has
// begun.
type DB struct {
	path string
	o    Options
	// requests of waiting writers; unbuffered, so that a writer waits until its request is taken
	queue    chan *request
	stopped  chan struct{}
	stopOnce sync.Once
	started  atomic.Bool
	// the file must not change, because it is being checked or will be at the start of Run
	frozen  atomic.Bool
	late    atomic.Bool   // a check is the reason for frozen
	changes atomic.Uint64 // number of commits
	file    fs.FileInfo   // the open file, for comparison with the file at the path
	// why the database is open for reading only; nil means that it can be written
	unwritable error

	fault atomic.Pointer[error] // why a transaction was not stored; nil once a later one was

	mu     sync.Mutex  // guards the following fields
	conn   *connection // the connection; nil after a fatal failure, and after closing
	closed bool        // Close has been called
	// how often the file may have changed although it is frozen: by a new connection, or at the end
	connections uint64

	// Only the writing goroutine uses the following fields.
	cleanMarkDeleted bool // the mark of a proper close was deleted
	scrubDue         bool // the journal may have deleted data that must not stay there
}

// Open opens or creates the database at path and updates its schema. It refuses a network file
// system, an SQLite with known defects, and a damaged file. It also refuses a schema that is newer
// than the migrations, or that other migrations have made. The caller calls Close.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log, o.VFS = cmp.Or(o.Log, hclog.NewNullLogger()), cmp.Or(o.VFS, vfsName)
	if o.Filesystem == nil {
		o.Filesystem = filesystem
	}
	if o.OnCommit == nil {
		o.OnCommit = func() {}
	}
	if o.Extend == nil {
		o.Extend = func(*sqlite3.Conn) error { return nil }
	}
	db := &DB{path: path, o: o, queue: make(chan *request), stopped: make(chan struct{})}
	err := blameFullDisk(db.open(ctx), filepath.Dir(path), o.Filesystem)
	if o.ReadOnlyIfUnwritable && IsUnwritable(err) {
		db.unwritable = err
		if unreadable := db.openReadOnly(ctx); unreadable != nil {
			return nil, errors.Join(err, unreadable)
		}
		return db, nil
	}
	if err != nil {
		return nil, err
	}
	return db, nil
}

func (db *DB) open(ctx context.Context) (err error) {
	if db.path, err = prepareFile(db.path, db.o.Filesystem, db.o.MustExist); err != nil {
		return err
	}
	conn, err := db.connect(ctx)
	if err != nil {
		return err
	}
	if !db.o.RefuseOlder { // a command leaves the database as it is
		unopened, err := conn.hasUnopenedMigration(db.path, db.o)
		if err == nil && unopened {
			if err = errors.Join(conn.emptyJournal(), conn.close(), giveBack(db.path, db.o)); err == nil {
				db.o.Log.Warn("an update did not open; the database from before it is back")
				conn, err = db.connect(ctx)
			}
		}
		if err != nil {
			return err
		}
	}
	late, err := conn.prepare(db.path, db.o)
	if err != nil {
		return errors.Join(err, conn.close())
	}
	db.conn = conn
	db.frozen.Store(late)
	db.late.Store(late)
	db.file, err = os.Stat(db.path)
	return err
}

// openReadOnly opens a database for reading, and changes no file.
func (db *DB) openReadOnly(ctx context.Context) error {
	db.o.MustExist, db.o.RefuseOlder = true, true
	conn, err := db.connect(ctx)
	if err != nil {
		return err
	}
	if err = conn.refuseUnusable(db.path, db.o); err == nil {
		err = conn.refuseDifferences(db.o)
	}
	if err == nil {
		db.file, err = os.Stat(db.path)
	}
	if err != nil {
		return errors.Join(err, conn.close())
	}
	db.conn = conn
	return nil
}

// connect opens a connection for writing. After openReadOnly it opens one for reading.
func (db *DB) connect(ctx context.Context) (*connection, error) {
	if db.unwritable != nil {
		return openUnchanged(ctx, db.path, db.o)
	}
	return connect(ctx, db.path, db.o)
}

// Path returns the absolute path of the database.
func (db *DB) Path() string { return db.path }

// Now returns the time of the database's clock.
func (db *DB) Now() time.Time { return db.o.Now() }

// Run writes until ctx ends. Then it finishes the waiting writes, marks the database as properly
// closed and returns; later writes fail. Call it once. An error means that the database is damaged,
// or that its file was removed or replaced. Then a removed file was written again, and the data of
// a replaced file was saved beside it.
func (db *DB) Run(ctx context.Context) error {
	if !db.started.CompareAndSwap(false, true) {
		return errors.New("run the database: it has run before")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	checked := make(chan error, 1)
	go func() {
		err := db.checkLate(ctx)
		if err == nil {
			err = db.watchFile(ctx)
		}
		if err != nil {
			cancel()
		}
		checked <- err
	}()
	db.writeUntil(ctx)
	cancel()
	err := <-checked
	if err == nil || errors.Is(err, errCheckCut) {
		err = cmp.Or(db.compareFile(), err)
	}
	var gone *Error
	switch {
	// Without the mark of a proper close, the next start checks the database.
	case errors.Is(err, errCheckCut), errors.Is(err, ErrClosed):
		return nil
	case errors.As(err, &gone):
		return fmt.Errorf("check the database %s: %w", db.path, db.leaveFile(gone))
	case err != nil:
		return fmt.Errorf("check the database %s: %w", db.path, err)
	}
	if err := db.finish(); err != nil {
		db.o.Log.Warn("the database could not be marked as closed; it will be checked at the next start", "error", err)
	}
	return nil
}

// Close closes the database. Call it after Run has returned, or instead of Run.
func (db *DB) Close() error {
	db.stop()
	db.mu.Lock()
	defer db.mu.Unlock()
	conn := db.conn
	db.conn, db.closed = nil, true
	if conn == nil {
		return nil
	}
	if err := conn.close(); err != nil {
		return fmt.Errorf("close the database %s: %w", db.path, err)
	}
	return nil
}

// The method with calls fn with the connection, which no other goroutine uses meanwhile. It opens a
// new connection if the last one was closed after a failure.
func (db *DB) with(fn func(*connection) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.reconnect(); err != nil {
		return err
	}
	return fn(db.conn)
}

// unfreeze lets the file change again, and calls fn as the method with does. Without a connection,
// the next one may change the file.
func (db *DB) unfreeze(fn func(*connection) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	defer db.frozen.Store(false)
	if err := db.reconnect(); err != nil {
		return err
	}
	return errors.Join(fn(db.conn), db.conn.unfreezeFile())
}

// reconnect opens a connection if there is none. The caller holds the lock.
func (db *DB) reconnect() error {
	if db.closed {
		return ErrClosed
	}
	if db.conn != nil {
		return nil
	}
	db.connections++
	conn, err := db.connect(context.Background())
	if err == nil && db.frozen.Load() { // the file is read, so it must not change
		if err = conn.freezeFile(); err != nil {
			err = errors.Join(err, conn.close())
		}
	}
	if err != nil {
		return fmt.Errorf("open a new connection: %w", err)
	}
	db.conn = conn
	return nil
}
