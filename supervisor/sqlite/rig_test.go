package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"mews/supervisor"
	"testing/synctest"

	"mews/supervisor/internal/engine"
)

// rig is a database that counts commits. Tests within the package use it.
type rig struct {
	*testing.T
	db      *DB
	commits int // number of commits; read only while nobody writes
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
	r.db, err = Open(t.Context(), path, Options{OnCommit: func() { r.commits++ },
		Policies: Policies{Questions: QuestionAnswerPolicy{
			YesOrNo: func(string) supervisor.AnswerChoice { return supervisor.AnswerChoiceNone }}}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// run runs the database. The function stop ends the run and waits for its end.
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

// note returns a write function that adds a row with a name.
func note(name string) func(*tx) error {
	return func(t *tx) error {
		return t.Query(nil, "INSERT INTO setting (user, name, value) VALUES ('note', ?, '')", name)
	}
}

func (r *rig) same(what string, got, want any) {
	r.Helper()
	if got != want {
		r.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func (r *rig) write(fn func(*tx) error) error {
	return r.db.write(r.Context(), func(t *tx) { t.fail(fn(t)) }, "write")
}

func (r *rig) count(query string, args ...any) int {
	r.Helper()
	n, _, err := engine.FirstRow(r.db.reader(r.Context(), "look"), engine.ScanInteger, query, args...)
	if err != nil {
		r.Fatal(err)
	}
	return int(n)
}

// list returns the first column of a query's rows.
func (r *rig) list(query string, args ...any) []string {
	r.Helper()
	list, err := engine.AllRows(r.db.reader(r.Context(), "look"), engine.ScanString, query, args...)
	if err != nil {
		r.Fatal(err)
	}
	return list
}

// plan returns SQLite's plan for a query.
func (r *rig) plan(query string) []string {
	r.Helper()
	steps, err := r.db.engine.QueryPlan(query)
	if err != nil {
		r.Fatal(err)
	}
	return steps
}

// writeTogether starts writes while another write runs, so that they wait together. It returns
// their errors.
func (r *rig) writeTogether(fns ...func(*tx) error) []error {
	r.Helper()
	release, held := make(chan struct{}), make(chan error, 1)
	go func() { held <- r.write(func(*tx) error { <-release; return nil }) }()
	synctest.Wait()
	outcomes := make([]chan error, len(fns))
	for i, fn := range fns {
		outcomes[i] = make(chan error, 1)
		go func() { outcomes[i] <- r.write(fn) }()
		synctest.Wait() // each write waits before the next one starts
	}
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
