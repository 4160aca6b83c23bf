package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	lastEffect      = `SELECT coalesce(max(id), ?2) FROM effect WHERE user = ?1 AND id > ?2`
	listFileEffects = `SELECT e.id, e.kind, e.target, e.created_at, u.effect IS NOT NULL, coalesce(u.path, ''), coalesce(u.moved_to, ''), coalesce(u.before, ''),
		coalesce(u.after, ''), coalesce(u.why_not, ''), coalesce(u.to_point, 0) > 0 FROM effect e LEFT JOIN undo u ON u.effect = e.id
		WHERE e.user = ?1 AND e.id > ?2 AND e.kind IN (SELECT value FROM json_each(?3)) ORDER BY e.id`
	// isChangingFiles selects whether a user's files may be changing now: an undo or a restore
	// runs, or a tool runs whose effects are not in the ledger yet. Turns that wait for the user
	// change nothing.
	isChangingFiles = `SELECT EXISTS (SELECT 1 FROM turn t INDEXED BY turn_running WHERE t.user = ?1 AND t.ended_at IS NULL
			AND EXISTS (SELECT 1 FROM tool_call c WHERE c.turn = t.id AND c.result IS NULL)
			AND NOT EXISTS (SELECT 1 FROM question q WHERE q.turn = t.id AND q.why IS NULL))
		OR EXISTS (SELECT 1 FROM operation WHERE user = ?1 AND kind IN ('undo', 'file_history') AND state IN ('waiting', 'running'))`
)

// NewestID returns the id of a user's newest effect. If that id is not above the argument after, it
// returns after.
func (s Effects) NewestID(ctx context.Context, user string, after int64) (int64, error) {
	return engine.FirstValue(s.db.reader(ctx, "find the last effect of %s", user), engine.ScanInteger, lastEffect, user,
		after)
}

// ListFileEffects lists a user's file effects after an id, oldest first. It lists only effects of
// the given kinds. The result settled is false if a running tool or undo may have changes that are
// not in the ledger yet.
func (s Effects) ListFileEffects(ctx context.Context, user string, after int64, kinds []string) (list []supervisor.FileEffect, settled bool, err error) {
	read := s.db.reader(ctx, "list the file effects of %s", user)
	busy, err := engine.FirstValue(read, engine.ScanBool, isChangingFiles, user)
	if err != nil || busy {
		return nil, false, err
	}
	list, err = engine.AllRows(read, func(r *engine.Row) (e supervisor.FileEffect) {
		c, known := supervisor.FileChange{}, false
		r.Scan(&e.ID, &e.Kind, &e.Target, &e.At, &known, &c.Path, &c.To, &c.Before, &c.After, &c.Obstacle, &e.HasSpan)
		if known {
			e.Change = &c
		}
		return e
	}, listFileEffects, user, after, encodedList(kinds))
	return list, true, err
}
