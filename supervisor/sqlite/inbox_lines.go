package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const (
	listLines = selectInbound + `WHERE i.conversation = ? AND i.id > ? AND i.kind IN ('text', 'command') AND i.held = 0
		ORDER BY i.id LIMIT ?`
	newestInbound = `SELECT coalesce(max(id), 0) FROM inbox`
)

// ListLines lists a conversation's texts and commands with an id above after, oldest first.
// Inbounds that a gate holds are left out.
func (s Inbox) ListLines(ctx context.Context, conversation, after int64, limit int) ([]supervisor.Inbound, error) {
	return engine.AllRows(s.db.reader(ctx, "list the lines of conversation %d", conversation), scanInbound, listLines,
		conversation, after, limit)
}

// NewestInbound returns the id of the newest inbound of all users; 0 means none.
func (s Inbox) NewestInbound(ctx context.Context) (int64, error) {
	return engine.FirstValue(s.db.reader(ctx, "find the newest inbound"), engine.ScanInteger, newestInbound)
}
