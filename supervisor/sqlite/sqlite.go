// Package sqlite keeps what the service must not lose: conversations, what people sent, turns, the transcript, the
// ledger of effects, and what is still to be delivered. It is the only package with SQL over that database.
//
// One connection writes. Write functions queue for it, and it takes all that wait into one transaction, so that they
// share one fsync; each is a savepoint of its own and fails alone. When a method that writes has returned nil, what it
// wrote survives the end of the process and of the power. A few read-only connections serve everything else.
//
// No transaction leaves the package: what must happen together is one method.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
)

// Options are what a DB needs from outside. The zero value works.
type Options struct {
	Now        func() time.Time                     // nil is time.Now
	Log        hclog.Logger                         // nil logs nothing
	Filesystem func(dir string) (Filesystem, error) // what dir lies on; nil asks the kernel
}

// DB is an open database. Its methods may be called from any goroutine; those that write wait until Run has begun.
type DB struct {
	path      string
	log       hclog.Logger
	writer    *writer
	readers   *sql.DB
	prepared  sync.Map // *sql.Stmt of readers, by their text; they go with readers
	unchecked bool     // it was not closed properly, and is too large to be checked before the start
	started   atomic.Bool
}

// Open opens the database at path, makes it if it is not there, and brings its schema up to date. It refuses a file
// system of another machine, an SQLite with known defects, a schema newer than this program, and a damaged file. The
// caller sees to it that no other process has the database open, and calls Close.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	o = o.withDefaults()
	db, err := open(ctx, path, o)
	return db, wrap(blameFullDisk(err, filepath.Dir(path), o.Filesystem), "open the database %s", path)
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	if o.Filesystem == nil {
		o.Filesystem = filesystem
	}
	return o
}

func open(ctx context.Context, path string, o Options) (db *DB, err error) {
	path, err = prepareFile(path, o.Filesystem)
	if err != nil {
		return nil, err
	}
	conn, err := connect(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, conn.close())
		}
	}()
	clean, err := prepare(ctx, conn)
	if err != nil {
		return nil, err
	}
	unchecked, err := check(ctx, conn, path, clean)
	if err != nil {
		return nil, err
	}
	readers, err := connectReaders(path)
	if err != nil {
		return nil, err
	}
	return &DB{path: path, log: o.Log, writer: newWriter(path, conn, o), readers: readers, unchecked: unchecked}, nil
}

// prepare refuses what cannot be worked with and migrates the rest. It says whether the database was closed properly.
func prepare(ctx context.Context, conn *connection) (clean bool, err error) {
	if err := conn.refuseOldSQLite(ctx); err != nil {
		return false, err
	}
	if err := conn.refuseForeign(ctx); err != nil {
		return false, err
	}
	if err := conn.refuseNewer(ctx, migrations); err != nil {
		return false, err
	}
	clean, err = conn.wasClean(ctx)
	if err != nil {
		return false, err
	}
	return clean, conn.migrate(ctx, migrations)
}

// Run writes until ctx ends. Then it finishes the writes that wait, marks the database as properly closed and returns;
// writes that come later are refused. It may be called once. An error means that the database is damaged.
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
	db.writer.run(ctx)
	cancel()
	err := <-checked
	switch {
	case errors.Is(err, errCheckCut): // it stays marked as not closed, and is checked the next time
		return nil
	case err != nil:
		return wrap(err, "check the database %s", db.path)
	}
	if err := db.writer.finish(); err != nil {
		db.log.Warn("the database could not be marked as closed; it will be checked at the next start", "error", err)
	}
	return nil
}

// Close closes the connections. It is called after Run has returned, or instead of Run.
func (db *DB) Close() error {
	db.writer.stop()
	err := errors.Join(db.readers.Close(), db.writer.close())
	if err != nil {
		return fmt.Errorf("close the database %s: %w", db.path, err)
	}
	return nil
}

// Conversations are where people talk.
func (db *DB) Conversations() Conversations { return Conversations{db} }

// Inbox is what people sent.
func (db *DB) Inbox() Inbox { return Inbox{db} }

// Turns are what is done about it.
func (db *DB) Turns() Turns { return Turns{db} }

// Transcript is what was said, as the model sees it.
func (db *DB) Transcript() Transcript { return Transcript{db} }

// Outbox is what people are to be told.
func (db *DB) Outbox() Outbox { return Outbox{db} }

// Posts are the messages in a channel's chats that show it to them.
func (db *DB) Posts() Posts { return Posts{db} }

// Cleanings are what is to be done to messages there.
func (db *DB) Cleanings() Cleanings { return Cleanings{db} }

// Blobs says whose the bytes in the spool are.
func (db *DB) Blobs() Blobs { return Blobs{db} }

// Usage is what the calls of models have counted, and what they cost.
func (db *DB) Usage() Usage { return Usage{db} }

// Settings are what people have chosen while the service runs.
func (db *DB) Settings() Settings { return Settings{db} }

// Audit is who did what, and when.
func (db *DB) Audit() Audit { return Audit{db} }

// Access is who may speak, and how they prove that it is they.
func (db *DB) Access() Access {
	return Access{People{db}, Bindings{db}, Groups{db}, Invites{db}, Factors{db}, Logins{db}}
}
