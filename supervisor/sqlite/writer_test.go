package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ncruces/go-sqlite3"

	"mews/supervisor"
)

// rig is a database whose writer the test holds in its hand.
type rig struct {
	*testing.T
	db      *DB
	commits int // clampCount by SQLite; read while the writer is still
}

// newRig opens a database and does not run it.
func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t}
	var err error
	r.db, err = Open(t.Context(), filepath.Join(t.TempDir(), "mews.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.db.writer.conn.raw.CommitHook(func() bool {
		r.commits++
		return true
	})
	return r
}

// run runs the database; stop ends that and waits for it.
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

// note keeps a row that is easy to find.
func note(name string) func(*tx) error {
	return func(t *tx) error {
		return t.exec("INSERT INTO setting (user, name, value) VALUES ('note', ?, '')", name)
	}
}

// notes are the names of the rows that are kept.
func (r *rig) notes() string {
	r.Helper()
	rows, err := r.db.readers.QueryContext(r.Context(), "SELECT name FROM setting WHERE user = 'note' ORDER BY name")
	names, err := all(rows, err, scanText)
	if err != nil {
		r.Fatal(err)
	}
	return strings.Join(names, " ")
}

func (r *rig) same(what string, got, want any) {
	r.Helper()
	if got != want {
		r.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// behind starts writes while the writer is busy with another, so that they wait for it together, and returns how each
// contextError. What busy does in that other write comes before them.
func (r *rig) behind(busy func(), ctx context.Context, fns ...func(*tx) error) []error {
	r.Helper()
	release, held := make(chan struct{}), make(chan error, 1)
	go func() {
		held <- r.db.writer.do(r.Context(), func(*tx) error { <-release; return nil })
	}()
	synctest.Wait()
	outcomes := make([]chan error, len(fns))
	for i, fn := range fns {
		outcomes[i] = make(chan error, 1)
		go func() { outcomes[i] <- r.db.writer.do(ctx, fn) }()
		synctest.Wait() // so that they stand in the queue in order
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

func TestWhatWaitsTogetherIsCommittedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.run()()
		var nows []int64
		var fns []func(*tx) error
		for i := range 10 {
			fns = append(fns, func(t *tx) error {
				nows = append(nows, t.now)
				return note(fmt.Sprint(i))(t)
			})
		}
		for i, err := range r.behind(nil, t.Context(), fns...) {
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

func TestOneThatFailsFailsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.run()()
		boom := errors.New("boom")
		errs := r.behind(nil, t.Context(), note("a"),
			func(t *tx) error { return errors.Join(note("half")(t), boom) },
			func(t *tx) error { return errors.Join(note("b")(t), note("b")(t)) },
			note("c"))
		r.same("first", errs[0], nil)
		r.same("second is boom", errors.Is(errs[1], boom), true)
		r.same("third is a constraint", errors.Is(errs[2], sqlite3.CONSTRAINT_PRIMARYKEY), true)
		r.same("fourth", errs[3], nil)
		r.same("commits", r.commits, 2)
		r.same("notes", r.notes(), "a c")
	})
}

func TestAFailedCommitFailsAllOfItsGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.run()()
		veto := func() { r.db.writer.conn.raw.CommitHook(func() bool { return false }) }
		errs := r.behind(nil, t.Context(), note("a"), func(t *tx) error { veto(); return note("b")(t) }, note("c"))
		for i, err := range errs {
			if err == nil || !strings.Contains(err.Error(), "commit: ") {
				t.Errorf("write %d: %v", i, err)
			}
		}
		r.db.writer.conn.raw.CommitHook(nil)
		r.same("the next write", r.db.writer.do(t.Context(), note("d")), nil)
		r.same("notes", r.notes(), "d")
	})
}

func TestATransactionThatSQLiteGivesUpFailsAllOfItsGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.run()()
		giveUp := func(t *tx) error { return errors.Join(t.conn.rollback(), sqlite3.FULL) }
		for i, err := range r.behind(nil, t.Context(), note("a"), giveUp, note("c")) {
			if !errors.Is(err, errRolledBack) || supervisor.ErrorCode(explain(err)) != supervisor.CodeUnavailable {
				t.Errorf("write %d: %v", i, err)
			}
		}
		r.same("the next write", r.db.writer.do(t.Context(), note("d")), nil)
		r.same("notes", r.notes(), "d")
	})
}

func TestAConnectionThatIsBrokenIsReplaced(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	breakIt := func(t *tx) error { return t.conn.conn.Close() }
	if err := r.db.writer.do(t.Context(), breakIt); err == nil {
		t.Error("the write on a broken connection was kept")
	}
	r.same("the next write", r.db.writer.do(t.Context(), note("a")), nil)
	r.same("notes", r.notes(), "a")
}

func TestACallerWhoLeavesInTimeIsTakenOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		defer r.run()()
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		errs := r.behind(func() { cancel(gone) }, ctx, note("a"), note("b"))
		r.same("first", errs[0], gone)
		r.same("second", errs[1], gone)
		r.same("notes", r.notes(), "")
		r.same("a caller who has left before", r.db.writer.do(ctx, note("c")), gone)
	})
}

func TestACallerWhoLeavesTooLateGetsTheOutcome(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	ctx, cancel := context.WithCancel(t.Context())
	err := r.db.writer.do(ctx, func(t *tx) error { cancel(); return note("a")(t) })
	r.same("outcome", err, nil)
	r.same("notes", r.notes(), "a")
}

func TestTheEndFinishesWhatWaitsAndRefusesTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan error, 1)
		go func() { ran <- r.db.Run(ctx) }()
		for i, err := range r.behind(cancel, t.Context(), note("a"), note("b")) {
			if err != nil {
				t.Errorf("write %d: %v", i, err)
			}
		}
		r.same("run", <-ran, nil)
		r.same("a late write", r.db.writer.do(t.Context(), note("c")), errClosed)
		r.same("notes", r.notes(), "a b")
		if err := r.db.Run(t.Context()); err == nil {
			t.Error("it runs twice")
		}
		r.same("close", r.db.Close(), nil)
	})
}

func TestADatabaseThatNeverRanRefusesWritesOnceItIsClosed(t *testing.T) {
	r := newRig(t)
	r.same("close", r.db.Close(), nil)
	r.same("write", r.db.writer.do(t.Context(), note("a")), errClosed)
}

func TestReadersCannotWrite(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	_, err := r.db.readers.ExecContext(t.Context(), "DELETE FROM setting")
	if !errors.Is(err, sqlite3.READONLY) {
		t.Errorf("got %v", err)
	}
}

func TestTheAuditLogRefusesChanges(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	if err := r.db.Audit().Put(t.Context(), "alice", "login", ""); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"DELETE FROM audit", "UPDATE audit SET user = 'bob'"} {
		err := r.db.writer.do(t.Context(), func(t *tx) error { return t.exec(query) })
		if err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", query, err)
		}
	}
}
