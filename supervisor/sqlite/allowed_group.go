package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// AllowedGroups stores the allowed group chats that are not in the configuration.
type AllowedGroups struct{ db *DB }

// Group is a group chat of a channel.
type Group struct {
	Channel supervisor.Channel
	Chat    string
}

const (
	allowGroup    = `INSERT INTO allowed_group (channel, chat, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`
	disallowGroup = `DELETE FROM allowed_group WHERE channel = ? AND chat = ?`
	listGroups    = `SELECT channel, chat FROM allowed_group ORDER BY channel, chat`
)

// Allow records that users may speak in a group. A second call changes nothing.
func (s AllowedGroups) Allow(ctx context.Context, g Group) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(allowGroup, g.Channel, g.Chat, t.Now) }, "allow group %s of %s", g.Chat, g.Channel)
}

// Disallow forbids users to speak in a group. It reports whether the group was allowed.
func (s AllowedGroups) Disallow(ctx context.Context, g Group) (bool, error) {
	n, err := inTransaction(ctx, s.db, func(t *tx) int64 { return t.ExecCount(disallowGroup, g.Channel, g.Chat) },
		"disallow group %s of %s", g.Chat, g.Channel)
	return n > 0, err
}

// List lists the allowed groups.
func (s AllowedGroups) List(ctx context.Context) ([]Group, error) {
	return engine.AllRows(s.db.reader(ctx, "list allowed groups"), func(r *engine.Row) (g Group) {
		r.Scan(&g.Channel, &g.Chat)
		return g
	}, listGroups)
}
