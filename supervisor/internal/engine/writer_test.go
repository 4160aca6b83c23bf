package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/ncruces/go-sqlite3"
)

// testMigrations has a migration that makes the table that the engine needs, and a table for tests.
var testMigrations = fstest.MapFS{"migration/0001_first.sql": {Data: []byte(`
	CREATE TABLE setting (user TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (user, name)) STRICT;
	CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT`)}}

// rig is a database for tests, which counts commits.
type rig struct {
	*testing.T
	db      *DB
	commits int // number of commits, counted by SQLite; read only while the writer is idle
}

// newRig opens a database without running it.
func newRig(t *testing.T) *rig {
	t.Helper()
	return newRigAt(t, filepath.Join(t.TempDir(), "mews.db"))
}

func newRigAt(t *testing.T, path string) *rig {
	t.Helper()
	r := &rig{T: t}
	var err error
	r.db, err = Open(t.Context(), path, Options{Migrations: testMigrations})
	if err != nil {
		t.Fatal(err)
	}
	r.db.conn.raw.CommitHook(func() bool {
		r.commits++
		return true
	})
	return r
}

// run runs the database. stop ends the run and waits for its end.
func (r *rig) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	ran := make(chan error, 1)
	go func() { ran <- r.db.Run(ctx) }()
	return func() {
		cancel()
		if err := <-ran; err != nil {
			r.Error(err)
		}
		if err := r.db.Close(); err != nil {
			r.Error(err)
		}
	}
}

func (r *rig) write(fn func(*Tx) error) error { return r.db.Write(r.Context(), fn) }

// note returns a write function that adds a row with a name.
func note(name string) func(*Tx) error {
	return func(t *Tx) error {
		return t.Exec("INSERT INTO setting (user, name, value) VALUES ('note', ?, '')", name)
	}
}

// notes returns the names of the stored rows.
func (r *rig) notes() string {
	r.Helper()
	names, err := AllRows(r.db.Reader(r.Context()), ScanString,
		"SELECT name FROM setting WHERE user = 'note' ORDER BY name")
	if err != nil {
		r.Fatal(err)
	}
	return strings.Join(names, " ")
}

func (r *rig) count(query string) int {
	r.Helper()
	n, _, err := FirstRow(r.db.Reader(r.Context()), ScanInteger, query)
	if err != nil {
		r.Fatal(err)
	}
	return int(n)
}

func (r *rig) same(what string, got, want any) {
	r.Helper()
	if got != want {
		r.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// writeTogether blocks the writer with one write, queues the writes behind it, and returns their
// errors. busy runs inside the blocking write, before the other writes are queued.
func (r *rig) writeTogether(busy func(), ctx context.Context, fns ...func(*Tx) error) []error {
	r.Helper()
	release, held := make(chan struct{}), make(chan error, 1)
	go func() {
		held <- r.db.Write(r.Context(), func(*Tx) error { <-release; return nil })
	}()
	synctest.Wait()
	outcomes := make([]chan error, len(fns))
	for i, fn := range fns {
		outcomes[i] = make(chan error, 1)
		go func() { outcomes[i] <- r.db.Write(ctx, fn) }()
		synctest.Wait() // wait, so that the writes are queued in order
	}
	if busy != nil {
		busy()
	}
	synctest.Wait()
	close(release)
	if err := <-held; err != nil {
		r.Fatal(err)
	}
	errs := make([]error, len(fns))
	for i := range fns {
		errs[i] = <-outcomes[i]
	}
	return errs
}

func TestWrite_WaitingWrites_ShareOneCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.run()()
		var nows []int64
		var fns []func(*Tx) error
		for i := range 10 {
			fns = append(fns, func(t *Tx) error {
				nows = append(nows, t.Now)
				return note(fmt.Sprint(i))(t)
			})
		}
		for i, err := range r.writeTogether(nil, t.Context(), fns...) {
			if err != nil {
				t.Errorf("write %d: %v", i, err)
			}
		}
		r.same("commits of 11 writes", r.commits, 2)
		r.same("notes", r.notes(), "0 1 2 3 4 5 6 7 8 9")
		for _, now := range nows {
			r.same("now", now, nows[0])
		}
	})
}

// Callers whose writes shared a commit queue their next writes in time to share a commit again.
func TestWrite_GroupWritesAgain_SharesNextCommit(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := newRig(t)
	stop := r.run()
	const writers, writes = 20, 10
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range writes {
				if err := r.write(func(*Tx) error { return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	stop()
	if r.commits > writers*writes/4 {
		t.Errorf("%d writes of %d who write at once took %d commits", writers*writes, writers, r.commits)
	}
}

func TestWrite_FailingFunction_FailsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.run()()
		boom := errors.New("boom")
		errs := r.writeTogether(nil, t.Context(), note("a"),
			func(t *Tx) error { return errors.Join(note("half")(t), boom) },
			func(t *Tx) error { return errors.Join(note("b")(t), note("b")(t)) },
			note("c"))
		r.same("first", errs[0], nil)
		r.same("second is boom", errors.Is(errs[1], boom), true)
		r.same("third is a constraint", errors.Is(errs[2], sqlite3.CONSTRAINT_PRIMARYKEY), true)
		r.same("fourth", errs[3], nil)
		r.same("commits", r.commits, 2)
		r.same("notes", r.notes(), "a c")
	})
}

func TestWrite_FailedCommit_FailsEachWriteOfGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.run()()
		veto := func() { r.db.conn.raw.CommitHook(func() bool { return false }) }
		errs := r.writeTogether(nil, t.Context(), note("a"), func(t *Tx) error { veto(); return note("b")(t) },
			note("c"))
		for i, err := range errs {
			if err == nil || !strings.Contains(err.Error(), "commit: ") {
				t.Errorf("write %d: %v", i, err)
			}
		}
		r.db.conn.raw.CommitHook(nil)
		r.same("the next write", r.db.Write(t.Context(), note("d")), nil)
		r.same("notes", r.notes(), "d")
	})
}

func TestWrite_RolledBackBySQLite_FailsWholeGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.run()()
		giveUp := func(t *Tx) error { return errors.Join(t.conn.rollback(), sqlite3.FULL) }
		for i, err := range r.writeTogether(nil, t.Context(), note("a"), giveUp, note("c")) {
			if !errors.Is(err, errRolledBack) || problemOf(err) != ProblemDiskFull {
				t.Errorf("write %d: %v", i, err)
			}
		}
		r.same("the next write", r.db.Write(t.Context(), note("d")), nil)
		r.same("notes", r.notes(), "d")
	})
}

func TestWrite_BrokenConnection_IsReplaced(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	breakIt := func(t *Tx) error { return t.conn.close() }
	if err := r.db.Write(t.Context(), breakIt); err == nil {
		t.Error("the write on a broken connection was kept")
	}
	r.same("the next write", r.db.Write(t.Context(), note("a")), nil)
	r.same("notes", r.notes(), "a")
}

func TestWrite_CancelledWhileWaiting_DoesNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.run()()
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		errs := r.writeTogether(func() { cancel(gone) }, ctx, note("a"), note("b"))
		r.same("first", errs[0], gone)
		r.same("second", errs[1], gone)
		r.same("notes", r.notes(), "")
		r.same("a caller who has left before", r.db.Write(ctx, note("c")), gone)
	})
}

func TestWrite_CancelledTooLate_ReturnsOutcome(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	ctx, cancel := context.WithCancel(t.Context())
	err := r.db.Write(ctx, func(t *Tx) error { cancel(); return note("a")(t) })
	r.same("outcome", err, nil)
	r.same("notes", r.notes(), "a")
}

func TestRun_End_FinishesWaitingWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan error, 1)
		go func() { ran <- r.db.Run(ctx) }()
		for i, err := range r.writeTogether(cancel, t.Context(), note("a"), note("b")) {
			if err != nil {
				t.Errorf("write %d: %v", i, err)
			}
		}
		r.same("run", <-ran, nil)
		r.same("a late write", r.db.Write(t.Context(), note("c")), ErrClosed)
		r.same("notes", r.notes(), "a b")
		if err := r.db.Run(t.Context()); err == nil {
			t.Error("it runs twice")
		}
		r.same("close", r.db.Close(), nil)
	})
}

func TestClose_NeverRun_RefusesWrites(t *testing.T) {
	r := newRig(t)
	r.same("close", r.db.Close(), nil)
	r.same("write", r.db.Write(t.Context(), note("a")), ErrClosed)
}

func TestReader_Write_Fails(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	err := r.db.Reader(t.Context()).Query(nil, "DELETE FROM setting")
	if !errors.Is(err, sqlite3.READONLY) {
		t.Errorf("got %v", err)
	}
}

func problemOf(err error) Problem {
	p, _ := ProblemOf(err)
	return p
}
