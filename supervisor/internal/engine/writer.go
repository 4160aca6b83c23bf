package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
)

// maxGroup is the largest number of writes in a transaction. It keeps each writer's wait short.
const maxGroup = 128

// request is a write function that waits for its transaction.
type request struct {
	ctx  context.Context // the caller's context; the context's end can prevent fn, but does not interrupt a running fn
	fn   func(*Tx) error
	err  error      // error that fn returned
	done chan error // gets the outcome after the commit; buffered, so that the writer does not wait
}

// Tx is a transaction as one write function sees it. A function must not keep the Tx.
type Tx struct {
	Now   int64 // time of the transaction in unix milliseconds
	conn  *connection
	scrub bool
}

// Query implements Querier.
func (t *Tx) Query(each func(*Row) (more bool), query string, args ...any) error {
	return t.conn.run(each, query, args)
}

// Exec runs a statement that returns no rows.
func (t *Tx) Exec(query string, args ...any) error { return t.conn.run(nil, query, args) }

// ExecCount runs a statement without result rows, and returns the number of changed rows.
func (t *Tx) ExecCount(query string, args ...any) (int64, error) {
	if err := t.Exec(query, args...); err != nil {
		return 0, err
	}
	return t.conn.raw.Changes(), nil
}

// Insert runs a statement that returns one number, such as the new row's id.
func (t *Tx) Insert(query string, args ...any) (int64, error) {
	id, ok, err := FirstRow(t, ScanInteger, query, args...)
	if err == nil && !ok {
		err = fmt.Errorf("insert: no id came back from %q", query)
	}
	return id, err
}

// RunScript runs several statements without parameters, for tests.
func (t *Tx) RunScript(statements string) error { return t.conn.exec(statements) }

// ScrubJournal empties the journal after the commit. Deleted data then does not stay there.
func (t *Tx) ScrubJournal() { t.scrub = true }

// Write runs fn in the next transaction and waits until the commit is on the disk. The function
// runs at most once, on the goroutine of Run, and must read only through its Tx. If ctx ends before
// fn has begun, fn does not run. If fn has begun, Write waits for the outcome.
func (db *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	if err := cmp.Or(contextError(ctx), db.unwritable); err != nil {
		return err
	}
	r := &request{ctx: ctx, fn: fn, done: make(chan error, 1)}
	select {
	case db.queue <- r:
		return <-r.done
	case <-ctx.Done():
		return contextError(ctx)
	case <-db.stopped:
		return ErrClosed
	}
}

// errPing rolls back a ping, so that it changes nothing.
var errPing = errors.New("ping")

// Ping returns nil once the writing goroutine has run a transaction that changes nothing. An error
// that is not the cause of ctx's end is the reason why it could not.
func (db *DB) Ping(ctx context.Context) error {
	if err := db.Write(ctx, func(*Tx) error { return errPing }); !errors.Is(err, errPing) {
		return err
	}
	return nil
}

// writeUntil runs writes until ctx ends. Then it runs the waiting writes, and refuses later writes.
func (db *DB) writeUntil(ctx context.Context) {
	defer db.stop()
	for ctx.Err() == nil {
		select {
		case first := <-db.queue:
			// let other goroutines queue their writes, so that they share the fsync
			runtime.Gosched()
			db.writeGroup(db.takeWaiting(first))
		case <-ctx.Done():
		}
	}
	for rest := db.takeWaiting(); len(rest) > 0; rest = db.takeWaiting() {
		db.writeGroup(rest)
	}
}

// stop refuses all writes from now on.
func (db *DB) stop() { db.stopOnce.Do(func() { close(db.stopped) }) }

// takeWaiting adds the queued requests to a group.
func (db *DB) takeWaiting(group ...*request) []*request {
	for len(group) < maxGroup {
		select {
		case r := <-db.queue:
			group = append(group, r)
		default:
			return group
		}
	}
	return group
}

// writeGroup runs a group of requests in one transaction, and tells each caller the outcome.
func (db *DB) writeGroup(group []*request) {
	err := db.with(func(c *connection) error {
		err := db.commit(c, group)
		if err != nil {
			db.restore(c)
		}
		return err
	})
	if err != nil {
		db.fault.Store(&err)
	}
	for _, r := range group {
		if r.err == nil {
			r.err = err
		}
		told := blameFullDisk(r.err, filepath.Dir(db.path), db.o.Filesystem)
		if IsUnwritable(told) {
			db.fault.Store(&told)
		}
		r.done <- told
	}
}

// Fault returns why a transaction could not be stored. Once a later one is stored, it returns nil.
func (db *DB) Fault() error {
	if last := db.fault.Load(); last != nil {
		return blameFullDisk(*last, filepath.Dir(db.path), db.o.Filesystem)
	}
	return db.unwritable
}

// commit runs the functions of a group in one transaction. The end of a caller's context does not
// interrupt it, because then the state on the disk would be unknown. An error means that nothing of
// the group was stored.
func (db *DB) commit(c *connection, group []*request) error {
	t := &Tx{conn: c, Now: db.o.Now().UnixMilli()}
	if err := t.Exec("BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if !db.cleanMarkDeleted {
		if err := t.Exec(unmarkClean); err != nil {
			return err
		}
	}
	run := runInSavepoint
	if len(group) == 1 {
		run = runAlone
	}
	for _, r := range group {
		if err := run(t, r); err != nil {
			return err
		}
	}
	if len(group) == 1 && group[0].err != nil {
		return nil
	}
	if err := t.Exec("COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	db.changes.Add(1)
	db.fault.Store(nil)
	db.o.OnCommit()
	db.cleanMarkDeleted = true
	if db.scrubDue = db.scrubDue || t.scrub; db.scrubDue && !db.frozen.Load() {
		db.scrub(c)
	}
	return nil
}

// runAlone runs the only function of a group. If the function fails, the transaction is rolled
// back.
func runAlone(t *Tx, r *request) error {
	if r.err = contextError(r.ctx); r.err == nil {
		r.err = r.fn(t)
	}
	if r.err == nil {
		return nil
	}
	return t.conn.rollback()
}

// runInSavepoint runs one of several functions of a group. The returned error is for the whole
// group. The function's own error goes into the request.
func runInSavepoint(t *Tx, r *request) error {
	if r.err = contextError(r.ctx); r.err != nil {
		return nil
	}
	if err := t.Exec("SAVEPOINT one"); err != nil {
		return fmt.Errorf("savepoint: %w", err)
	}
	if r.err = r.fn(t); r.err != nil && t.conn.inTransaction() {
		if err := t.Exec("ROLLBACK TO one"); err != nil {
			return fmt.Errorf("roll back to the savepoint: %w", err)
		}
	}
	if !t.conn.inTransaction() {
		r.err = fmt.Errorf("%w: %w", errRolledBack, r.err)
		return r.err
	}
	if err := t.Exec("RELEASE one"); err != nil {
		return fmt.Errorf("end savepoint: %w", err)
	}
	return nil
}

// scrub moves the journal into the database, so that deleted data does not stay in the journal. A
// failed scrub is tried again after the next commit.
func (db *DB) scrub(c *connection) {
	err := c.run(nil, truncateJournal, nil)
	if err != nil {
		db.o.Log.Warn("empty the journal, which holds what was to be kept for a moment", "error", err)
	}
	db.scrubDue = err != nil
}

// restore prepares the connection for the next transaction after a failure. If that is impossible,
// it closes the connection, and the next caller opens a new connection.
func (db *DB) restore(c *connection) {
	err := c.rollback()
	if err == nil && c.raw != nil {
		return
	}
	db.o.Log.Warn("the database's connection is given up: rolling back has failed", "error", err)
	if err := c.close(); err != nil {
		db.o.Log.Warn("closing the database's connection has failed", "error", err)
	}
	db.conn = nil
}

// truncateJournal moves the journal into the database and empties it.
const truncateJournal = `PRAGMA wal_checkpoint(TRUNCATE)`

// finish marks the database as properly closed and empties the journal. It is called after the last
// write.
func (db *DB) finish() error {
	if db.unwritable != nil {
		return nil
	}
	return db.with(func(c *connection) error {
		db.connections++
		return errors.Join(c.exec(markClean), c.exec(truncateJournal))
	})
}
