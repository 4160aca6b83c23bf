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

// StoreChatFreeze stops sending to a source's chat until a time. The chat "" means all chats of the
// source. StoreChatFreeze never shortens an earlier freeze.
func (s Outbox) StoreChatFreeze(ctx context.Context, source, chat string, until time.Time) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(putFreeze, source, chat, toMillis(until)) }, "freeze chat %q of %s",
		chat, source)
}

// longestFreeze is longer than any delay that a channel asks for. A longer freeze comes from a
// wrong clock.
const longestFreeze = 24 * time.Hour

// ListChatFreezes returns the end of each freeze of a source, by chat. The chat "" means all chats.
// ListChatFreezes deletes freezes that have ended.
func (s Outbox) ListChatFreezes(ctx context.Context, source string) (map[string]time.Time, error) {
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
	}, "list frozen chats of %s", source)
}
