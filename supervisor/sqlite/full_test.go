package sqlite

import (
	"errors"
	"strings"
	"testing"

	"mews/supervisor"
)

// fill writes until a write fails, and checks that the error tells the user how to fix the problem.
// It returns the number of stored rows.
func (r *rig) fill() (kept int) {
	r.Helper()
	text := strings.Repeat("x", 20_000)
	for ; kept < 1000; kept++ {
		err := r.db.Audit().Append(r.Context(), "alice", "fill", text)
		if err == nil {
			continue
		}
		var said *supervisor.Error
		if !errors.As(err, &said) || said.Code != supervisor.CodeUnavailable ||
			!strings.Contains(said.Message, "is full") {
			r.Fatalf("got %v", err)
		}
		return kept
	}
	r.Fatal("it is never full")
	return kept
}

func TestFullDatabase_SpaceFreed_WritesAgain(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	limit := func(pages string) {
		t.Helper()
		r.same("limit", r.write(func(t *tx) error { return t.Query(nil, "PRAGMA max_page_count = "+pages) }), nil)
	}
	limit("100")
	kept := r.fill()
	r.same("small writes", r.write(note("a")), nil)
	limit("100000")
	r.same("the next write", r.db.Audit().Append(t.Context(), "alice", "fill", strings.Repeat("x", 20_000)), nil)
	r.same("entries", r.count("SELECT count(*) FROM audit"), kept+1)
}
