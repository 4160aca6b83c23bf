package sqlite

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	anyNote  = "SELECT name FROM setting WHERE user = 'note'"
	findNote = "SELECT count(*) FROM setting WHERE user = 'note' AND name = ?"
	dropNote = "DELETE FROM setting WHERE user = 'note' AND name = ?"
	makeNote = "INSERT INTO setting (user, name, value) VALUES ('note', ?, '') RETURNING 7"
)

// A write fails after its first error. Other writes of the same commit are stored.
func TestTransaction_AfterError_DoesNothing(t *testing.T) {
	boom, later := errors.New("boom"), errors.New("later")
	failures := map[string]struct {
		fail func(*tx)
		want error
	}{
		"told":        {func(t *tx) { t.fail(boom) }, boom},
		"a statement": {func(t *tx) { t.Exec(makeNote, "first") }, engine.ErrPrimaryKey},
		"a change":    {func(t *tx) { t.ExecCount(makeNote, "first") }, engine.ErrPrimaryKey},
		"an insert":   {func(t *tx) { t.Insert(makeNote, "first") }, engine.ErrPrimaryKey},
		"a query":     {func(t *tx) { all(t, engine.ScanInteger, makeNote, "first") }, engine.ErrPrimaryKey},
	}
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				defer r.run()()
				r.same("the first", r.write(note("first")), nil)
				fails := func(t *tx) error {
					f.fail(t)
					r.same("found after it", value(t, engine.ScanInteger, findNote, "first"), int64(0))
					r.same("listed after it", len(all(t, engine.ScanString, anyNote)), 0)
					r.same("changed after it", t.ExecCount(dropNote, "first"), int64(0))
					r.same("inserted after it", t.Insert(makeNote, "second"), int64(0))
					t.Exec(dropNote, "first")
					t.attempt("alice", func(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor,
						supervisor.LoginCodeResult) {
						r.Error("a code was tried after it")
						return f, supervisor.LoginCodeResult{}
					}, "")
					return later
				}
				errs := r.writeTogether(note("before"), fails, note("after"))
				r.same("error", errors.Is(errs[1], f.want) && !errors.Is(errs[1], later), true)
				r.same("those before and behind it", errors.Join(errs[0], errs[2]), nil)
				r.same("kept", len(r.list(anyNote)), 3)
			})
		})
	}
}
