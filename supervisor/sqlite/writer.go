package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
)

// maxGroup is how many writes share a transaction at most, so that none waits long for the others.
const maxGroup = 128

// writer owns the connection that writes. Between the beginning and the end of run, run's goroutine alone uses it.
type writer struct {
	path       string
	now        func() time.Time
	filesystem func(dir string) (Filesystem, error)
	log        hclog.Logger
	queue      chan *request // unbuffered: a write in it has its caller still waiting to hand it over
	stopped    chan struct{}
	stopOnce   sync.Once
	conn       *connection // nil after a failure that it did not survive
	marked     bool        // the mark of a proper close has been deleted
	scrubDue   bool        // the journal may hold what is to be nowhere any more
}

// request is one function that waits for the writer.
type request struct {
	ctx  context.Context // its caller's; looked at before fn begins, and not after
	fn   func(*tx) error
	err  error      // how fn failed
	done chan error // buffered; gets the outcome once it is on disk
}

func newWriter(path string, conn *connection, o Options) *writer {
	return &writer{
		path:       path,
		now:        o.Now,
		filesystem: o.Filesystem,
		log:        o.Log,
		queue:      make(chan *request),
		stopped:    make(chan struct{}),
		conn:       conn,
	}
}

// do has fn run in the next transaction and waits until that is on disk. fn runs once at most, on the writer's
// goroutine. If ctx ends before fn has begun, fn will not run; after that the outcome is waited for.
func (w *writer) do(ctx context.Context, fn func(*tx) error) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	req := &request{ctx: ctx, fn: fn, done: make(chan error, 1)}
	select {
	case w.queue <- req:
		return <-req.done
	case <-ctx.Done():
		return contextError(ctx)
	case <-w.stopped:
		return errClosed
	}
}

// inTransaction has fn run by w and returns what it returned, once that is on disk; the zero value with an error.
func inTransaction[T any](ctx context.Context, w *writer, fn func(*tx) (T, error)) (T, error) {
	var result, zero T
	err := w.do(ctx, func(t *tx) (err error) {
		result, err = fn(t)
		return err
	})
	if err != nil {
		return zero, err
	}
	return result, nil
}

// run writes until ctx ends, then what waits at that moment, and then refuses.
func (w *writer) run(ctx context.Context) {
	defer w.stop()
	for ctx.Err() == nil {
		select {
		case first := <-w.queue:
			w.writeGroup(w.waiting(first))
		case <-ctx.Done():
		}
	}
	for rest := w.waiting(nil); len(rest) > 0; rest = w.waiting(nil) {
		w.writeGroup(rest)
	}
}

// stop refuses all writes from now on.
func (w *writer) stop() { w.stopOnce.Do(func() { close(w.stopped) }) }

// waiting takes what is in the queue, after first.
func (w *writer) waiting(first *request) []*request {
	var group []*request
	if first != nil {
		group = append(group, first)
	}
	for len(group) < maxGroup {
		select {
		case req := <-w.queue:
			group = append(group, req)
		default:
			return group
		}
	}
	return group
}

// writeGroup runs a group in one transaction and tells each of its callers the outcome.
func (w *writer) writeGroup(group []*request) {
	err := w.commit(group)
	if err != nil {
		w.restore()
	}
	for _, req := range group {
		if req.err == nil {
			req.err = err
		}
		req.done <- blameFullDisk(req.err, filepath.Dir(w.path), w.filesystem)
	}
}

// commit runs the functions of a group in one transaction. Its error is for all of them: none was kept.
func (w *writer) commit(group []*request) error {
	ctx := context.Background() // a commit is not cut short: nobody could say then what is on disk
	if err := w.reconnect(ctx); err != nil {
		return err
	}
	if err := w.conn.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	t := &tx{ctx: ctx, conn: w.conn, now: w.now().UnixMilli()}
	if !w.marked {
		if err := t.exec(unmarkClean); err != nil {
			return err
		}
	}
	for _, req := range group {
		if err := w.runOne(t, req); err != nil {
			return err
		}
	}
	if err := w.conn.exec(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	w.marked = true
	if w.scrubDue = w.scrubDue || t.scrub; w.scrubDue {
		w.scrub(ctx)
	}
	return nil
}

// scrub empties the journal into the database, so that what was taken out of that is not left in it. It is tried again after
// the next commit where somebody reads for longer than that waits for.
func (w *writer) scrub(ctx context.Context) {
	var busy, pages, moved int
	err := w.conn.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
	if err != nil {
		w.log.Warn("empty the journal, which holds what was to be kept for a moment", "error", err)
	}
	w.scrubDue = err != nil || busy != 0
}

// runOne runs one function in a savepoint. Its error is for the whole group; the function's own is in req.
func (w *writer) runOne(t *tx, req *request) error {
	if req.err = contextError(req.ctx); req.err != nil {
		return nil
	}
	if err := w.conn.exec(t.ctx, "SAVEPOINT one"); err != nil {
		return fmt.Errorf("savepoint: %w", err)
	}
	end := "RELEASE one"
	if req.err = req.fn(t); req.err != nil {
		end = "ROLLBACK TO one; RELEASE one"
	}
	if !w.conn.inTransaction() {
		req.err = fmt.Errorf("%w: %w", errRolledBack, req.err)
		return req.err
	}
	if err := w.conn.exec(t.ctx, end); err != nil {
		return fmt.Errorf("end savepoint: %w", err)
	}
	return nil
}

// restore makes the connection fit for the next transaction after a failure. If it cannot be, it is given up, and
// the next group opens a new one.
func (w *writer) restore() {
	if w.conn == nil {
		return
	}
	err := w.conn.rollback()
	if err == nil {
		return
	}
	w.log.Warn("the database's connection is given up: rolling back has failed", "error", err)
	if err := w.conn.close(); err != nil {
		w.log.Warn("closing the database's connection has failed", "error", err)
	}
	w.conn = nil
}

// reconnect opens a new connection if the last one was given up.
func (w *writer) reconnect(ctx context.Context) error {
	if w.conn != nil {
		return nil
	}
	conn, err := connect(ctx, w.path)
	if err != nil {
		return fmt.Errorf("open a new connection: %w", err)
	}
	w.conn = conn
	return nil
}

// finish is called after run: it marks the database as properly closed and empties the journal into it.
func (w *writer) finish() error {
	ctx := context.Background()
	if err := w.reconnect(ctx); err != nil {
		return err
	}
	if err := w.conn.exec(ctx, markClean); err != nil {
		return fmt.Errorf("mark as closed: %w", err)
	}
	if err := w.conn.exec(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// close gives up the connection. It is called after run, or instead of it.
func (w *writer) close() error {
	if w.conn == nil {
		return nil
	}
	conn := w.conn
	w.conn = nil
	return conn.close()
}
