package sqlite

import (
	"context"
	"database/sql"

	"mews/supervisor"
)

// Logins are where people's gates are open. They are opened by codes, in PutBatch; whether one still holds is said by its
// Open.
type Logins struct{ db *DB }

const (
	selectLogin = `SELECT user, channel, chat, opened_at, used_at FROM login `
	findLogin   = selectLogin + `WHERE user = ? AND channel = ? AND chat = ?`
	listLogins  = selectLogin + `ORDER BY user, channel, chat`
	closeLogin  = `DELETE FROM login WHERE user = ? AND channel = ? AND chat = ?`
	closeLogins = `DELETE FROM login WHERE user = ?`
)

// FindLogin is a person's login in a channel's chat, if there is one; it may have run out.
func (s Logins) FindLogin(ctx context.Context, user string, channel supervisor.Channel, chat string) (
	supervisor.Login, bool, error) {
	rows, err := s.db.read(ctx, findLogin, user, channel, chat)
	login, ok, err := one(rows, err, scanLogin)
	return login, ok, wrap(err, "find the login of %s in chat %s of %s", user, chat, channel)
}

// List lists all logins, of all persons, those that have run out included.
func (s Logins) List(ctx context.Context) ([]supervisor.Login, error) {
	rows, err := s.db.read(ctx, listLogins)
	list, err := all(rows, err, scanLogin)
	return list, wrap(err, "list the logins")
}

// Close closes a person's gate in a channel's chat. It is no error that it was closed.
func (s Logins) Close(ctx context.Context, user string, channel supervisor.Channel, chat string) error {
	err := s.db.writer.do(ctx, func(t *tx) error { return t.exec(closeLogin, user, channel, chat) })
	return wrap(err, "close the gate of %s in chat %s of %s", user, chat, channel)
}

// CloseAll closes a person's gate everywhere, and says in how many chats a login was there.
func (s Logins) CloseAll(ctx context.Context, user string) (int64, error) {
	n, err := inTransaction(ctx, s.db.writer, func(t *tx) (int64, error) { return t.change(closeLogins, user) })
	return n, wrap(err, "close the gate of %s everywhere", user)
}

func scanLogin(rows *sql.Rows) (l supervisor.Login, err error) {
	var opened, used int64
	err = rows.Scan(&l.User, &l.Channel, &l.Chat, &opened, &used)
	l.OpenedAt, l.UsedAt = fromMillis(opened), fromMillis(used)
	return l, err
}
