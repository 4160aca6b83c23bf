package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/sqlite/internal/engine"
)

// Groups are the chats of several persons in which people may speak, beside those of the configuration.
type Groups struct{ db *DB }

// Group is a channel's chat of several persons.
type Group struct {
	Channel supervisor.Channel
	Chat    string
}

const (
	allowGroup    = `INSERT INTO allowed_group (channel, chat, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`
	disallowGroup = `DELETE FROM allowed_group WHERE channel = ? AND chat = ?`
	listGroups    = `SELECT channel, chat FROM allowed_group ORDER BY channel, chat`
)

// Allow keeps that people may speak in a group. To say it again changes nothing.
func (s Groups) Allow(ctx context.Context, g Group) error {
	err := s.db.write(ctx, func(t tx) error { return t.Exec(allowGroup, g.Channel, g.Chat, t.Now) })
	return wrap(err, "allow group %s of %s", g.Chat, g.Channel)
}

// Disallow takes that back, and says whether it was so.
func (s Groups) Disallow(ctx context.Context, g Group) (bool, error) {
	n, err := inTransaction(ctx, s.db, func(t tx) (int64, error) {
		return t.Change(disallowGroup, g.Channel, g.Chat)
	})
	return n > 0, wrap(err, "disallow group %s of %s", g.Chat, g.Channel)
}

// List lists the groups.
func (s Groups) List(ctx context.Context) ([]Group, error) {
	list, err := engine.All(s.db.reader(ctx), func(r *engine.Row) (g Group) {
		r.Scan(&g.Channel, &g.Chat)
		return g
	}, listGroups)
	return list, wrap(err, "list the groups")
}
