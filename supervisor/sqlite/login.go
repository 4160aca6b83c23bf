package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Logins stores the chats in which users' gates are open. The inbox opens a gate when it stores a
// right code. Login.IsOpen tells whether a login is still valid.
type Logins struct{ db *DB }

const (
	selectLogin = `SELECT user, channel, chat, opened_at, used_at FROM login `
	findLogin   = selectLogin + `WHERE user = ? AND channel = ? AND chat = ?`
	listLogins  = selectLogin + `ORDER BY user, channel, chat`
	closeLogin  = `DELETE FROM login WHERE user = ? AND channel = ? AND chat = ?`
	closeLogins = `DELETE FROM login WHERE user = ?`
)

// FindLogin returns a user's login in a chat, if there is one. The login may have expired.
func (s Logins) FindLogin(ctx context.Context, user string, channel supervisor.Channel, chat string) (
	supervisor.Login, bool, error) {
	return engine.FirstRow(s.db.reader(ctx, "find the login of %s in chat %s of %s", user, chat, channel), scanLogin,
		findLogin, user, channel, chat)
}

// List lists the logins of all users, including expired ones.
func (s Logins) List(ctx context.Context) ([]supervisor.Login, error) {
	return engine.AllRows(s.db.reader(ctx, "list the logins"), scanLogin, listLogins)
}

// EndLogin closes a user's gate in a chat. A gate that is already closed is no error.
func (s Logins) EndLogin(ctx context.Context, user string, channel supervisor.Channel, chat string) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(closeLogin, user, channel, chat) }, "close the gate of %s in chat %s of %s", user, chat, channel)
}

// EndAllLogins closes a user's gates in all chats. It returns the number of chats with a login.
func (s Logins) EndAllLogins(ctx context.Context, user string) (int64, error) {
	return inTransaction(ctx, s.db, func(t *tx) int64 { return t.ExecCount(closeLogins, user) },
		"close the gate of %s everywhere", user)
}

func scanLogin(row *engine.Row) (l supervisor.Login) {
	row.Scan(&l.User, &l.Channel, &l.Chat, &l.OpenedAt, &l.UsedAt)
	return l
}
