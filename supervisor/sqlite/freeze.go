package sqlite

import (
	"context"
	"time"

	"mews/supervisor/internal/engine"
)

const (
	putFreeze = `INSERT INTO freeze (source, chat, until) VALUES (?, ?, ?)
		ON CONFLICT (source, chat) DO UPDATE SET until = max(until, excluded.until)`
	deleteFrozen = `DELETE FROM freeze WHERE source = ? AND until <= ?`
	clipFrozen   = `UPDATE freeze SET until = ?1 WHERE source = ?2 AND until > ?1`
	listFrozen   = `SELECT chat, until FROM freeze WHERE source = ?`
)

// Freeze keeps that nothing may be sent to a source's chat before a time; chat "" is all of its
// chats. It never shortens what was kept before.
func (s Outbox) Freeze(ctx context.Context, source, chat string, until time.Time) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(putFreeze, source, chat, toMillis(until)) }, "freeze chat %q of %s",
		chat, source)
}

// longestFreeze is longer than any that a channel asks for: one that is further ahead comes of a
// wrong clock.
const longestFreeze = 24 * time.Hour

// Frozen says until when nothing may be sent, by chat; "" is all of the source's chats. What is
// over is deleted.
func (s Outbox) Frozen(ctx context.Context, source string) (map[string]time.Time, error) {
	frozen := map[string]time.Time{}
	return frozen, s.db.write(ctx, func(t *tx) {
		t.Exec(deleteFrozen, source, t.Now)
		t.Exec(clipFrozen, t.Now+longestFreeze.Milliseconds(), source)
		t.Query(func(row *engine.Row) bool {
			var chat string
			var until time.Time
			row.Scan(&chat, &until)
			frozen[chat] = until
			return true
		}, listFrozen, source)
	}, "list the frozen chats of %s", source)
}
