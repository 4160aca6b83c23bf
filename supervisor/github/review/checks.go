package review

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/github/finding"
)

// checker returns a Checker for findings about a change.
func (r *Reviews) checker(c change, known []finding.KnownFinding) finding.Checker {
	files, _ := filesOf(c.Files)
	return finding.Checker{Files: files, Heads: c.Heads, Known: known, Inline: r.o.Inline}
}

// awaitChecks answers a worker that asks which findings it should check a second time. The caller
// calls the returned function end when the worker has finished.
func (r *Reviews) awaitChecks(ctx context.Context, w supervisor.Review, c change) (end func(), err error) {
	if r.o.AwaitChecks == nil {
		return func() {}, nil
	}
	records, err := r.records(ctx, w)
	if err != nil {
		return nil, err
	}
	known, err := r.known(ctx, w, records)
	if err != nil {
		return nil, err
	}
	return r.o.AwaitChecks(w.Turn, r.checker(c, known).PostableIndexes), nil
}
