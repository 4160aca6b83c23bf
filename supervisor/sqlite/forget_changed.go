package sqlite

import (
	"context"
	"maps"
	"slices"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// ListChangedFiles lists the files that the exchanges of a request to forget have changed.
// Forgetting leaves these files alone.
func (s ForgetRequestStore) ListChangedFiles(ctx context.Context, f supervisor.ForgetRequest) (
	files supervisor.ChangedFiles, err error) {
	read, changed := s.db.reader(ctx, "list the files that %s wants forgotten", f.User), map[string]bool{}
	err = s.walk(ctx, f, 0, func(list []forgettableInbound, _ int64) (bool, error) {
		for _, item := range list {
			e := exchangeOf(read, item)
			for _, path := range e.changedFiles(read) {
				changed[path] = true
			}
			for _, span := range e.spans(read) {
				if !slices.Contains(files.Spans, span) {
					files.Spans = append(files.Spans, span)
				}
			}
			if e.err != nil {
				return false, e.err
			}
		}
		return true, nil
	})
	files.Paths = slices.Sorted(maps.Keys(changed))
	return files, err
}

const listSpans = `SELECT from_point, to_point, shared, nonce FROM undo WHERE` + ofTurns +
	` AND to_point > 0 ORDER BY effect`

// spans lists the spans of the file history that the turns of the exchange changed.
func (e *exchange) spans(q engine.Querier) (spans []protocol.HistorySpan) {
	if e.err == nil {
		spans, e.err = engine.AllRows(q, func(r *engine.Row) (s protocol.HistorySpan) {
			r.Scan(&s.From, &s.To, &s.Shared, &s.Nonce)
			return s
		}, listSpans, e.turns)
	}
	return spans
}
