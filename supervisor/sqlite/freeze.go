package sqlite

import (
	"context"
	"time"

	"mews/supervisor/sqlite/internal/engine"
)

const (
	putFreeze = `INSERT INTO freeze (source, chat, until) VALUES (?, ?, ?)
		ON CONFLICT (source, chat) DO UPDATE SET until = max(until, excluded.until)`
	deleteFrozen = `DELETE FROM freeze WHERE source = ? AND until <= ?`
	clipFrozen   = `UPDATE freeze SET until = ?1 WHERE source = ?2 AND until > ?1`
	listFrozen   = `SELECT chat, until FROM freeze WHERE source = ?`
)

// Freeze keeps that nothing may be sent to a source's chat before a time; chat "" is all of its chats. It never makes
// shorter what was kept before.
func (s Outbox) Freeze(ctx context.Context, source, chat string, until time.Time) error {
	ms := until.Add(time.Millisecond - 1).UnixMilli() // no part of a millisecond is lost
	err := s.db.write(ctx, func(t tx) error { return t.Exec(putFreeze, source, chat, ms) })
	return wrap(err, "freeze chat %q of %s", chat, source)
}

// freezeRow is a chat that nothing may be sent to.
type freezeRow struct {
	chat  string
	until time.Time
}

// longestFreeze is longer than any that a channel asks for: one that is further ahead is a wrong clock's.
const longestFreeze = 24 * time.Hour

// Frozen says until when nothing may be sent, by chat; "" is all of the source's chats. What is over is deleted.
func (s Outbox) Frozen(ctx context.Context, source string) (map[string]time.Time, error) {
	rows, err := inTransaction(ctx, s.db, func(t tx) ([]freezeRow, error) {
		if err := t.Exec(deleteFrozen, source, t.Now); err != nil {
			return nil, err
		}
		if err := t.Exec(clipFrozen, t.Now+longestFreeze.Milliseconds(), source); err != nil {
			return nil, err
		}
		return engine.All(t, scanFreeze, listFrozen, source)
	})
	frozen := map[string]time.Time{}
	for _, f := range rows {
		frozen[f.chat] = f.until
	}
	return frozen, wrap(err, "list the frozen chats of %s", source)
}

func scanFreeze(row *engine.Row) (f freezeRow) { row.Scan(&f.chat, &f.until); return f }
