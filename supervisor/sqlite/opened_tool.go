package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// OpenedTools stores the tools that conversations have opened.
type OpenedTools struct{ db *DB }

// OpenedTools returns the store of opened tools.
func (db *DB) OpenedTools() OpenedTools { return OpenedTools{db} }

const (
	openTool = `INSERT INTO opened_tool (conversation, name, user, position, opened_at, used_at, kept, call)
		VALUES (?1, ?2, ?3, (SELECT coalesce(max(position), 0) + 1 FROM opened_tool WHERE conversation = ?1), ?4, ?4, ?5, ?6)
		ON CONFLICT DO UPDATE SET used_at = excluded.used_at, kept = max(kept, excluded.kept)`
	closeTool   = `DELETE FROM opened_tool WHERE conversation = ? AND name = ?`
	closeUnkept = `DELETE FROM opened_tool WHERE conversation = ? AND kept = 0`
	listOpened  = `SELECT name, call, kept, used_at FROM opened_tool WHERE conversation = ? ORDER BY position`
)

// List lists the open tools of a conversation, in the order of opening.
func (s OpenedTools) List(ctx context.Context, conversation int64) ([]supervisor.OpenedTool, error) {
	return engine.AllRows(s.db.reader(ctx, "list open tools of conversation %d", conversation), scanOpenedTool,
		listOpened, conversation)
}

func scanOpenedTool(row *engine.Row) (o supervisor.OpenedTool) {
	row.Scan(&o.Name, &o.Call, &o.Pinned, &o.UsedAt)
	return o
}

// AddTools opens tools in a conversation, in this order, with UsedAt set to now. A tool that is
// open already keeps its position, and may become pinned.
func (s OpenedTools) AddTools(ctx context.Context, in supervisor.Conversation, tools ...supervisor.OpenedTool) error {
	return s.db.write(ctx, func(t *tx) { t.openTools(in, tools) }, "open tools in conversation %d", in.ID)
}

func (t *tx) openTools(in supervisor.Conversation, tools []supervisor.OpenedTool) {
	for _, o := range tools {
		t.Exec(openTool, in.ID, o.Name, in.User, t.Now, o.Pinned, o.Call)
	}
}

// DeleteTools closes tools in a conversation, also pinned tools.
func (s OpenedTools) DeleteTools(ctx context.Context, conversation int64, names ...string) error {
	return s.db.write(ctx, func(t *tx) {
		for _, name := range names {
			t.Exec(closeTool, conversation, name)
		}
	}, "close tools in conversation %d", conversation)
}
