package sqlite

import (
	"context"
	"database/sql"

	"mews/supervisor"
)

// Bindings say which accounts of a channel are whose, beside those of the configuration.
type Bindings struct{ db *DB }

// Binding is one account of a channel that is a person's.
type Binding struct {
	Channel supervisor.Channel
	Account string // the channel's own number of it
	User    string
}

const (
	insertBinding = `INSERT INTO binding (channel, account, user, created_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (channel, account) DO NOTHING`
	findBinding   = `SELECT user FROM binding WHERE channel = ? AND account = ?`
	listBindings  = `SELECT channel, account, user FROM binding ORDER BY user, channel, account`
	deleteBinding = `DELETE FROM binding WHERE channel = ? AND account = ? RETURNING user`
	unbindUser    = `DELETE FROM binding WHERE user = ?`
	closeChannel  = `DELETE FROM login WHERE user = ? AND channel = ?`
)

// Bind makes an account a person's. To say it again changes nothing; CodeForbidden where it is another person's.
func (s Bindings) Bind(ctx context.Context, b Binding) error {
	err := s.db.writer.do(ctx, func(t *tx) error { return t.bind(b) })
	return wrap(err, "bind account %s of %s to %s", b.Account, b.Channel, b.User)
}

func (t *tx) bind(b Binding) error {
	if err := t.exec(insertBinding, b.Channel, b.Account, b.User, t.now); err != nil {
		return err
	}
	rows, err := t.query(findBinding, b.Channel, b.Account)
	user, _, err := one(rows, err, scanText)
	if err == nil && user != b.User {
		err = accountTaken()
	}
	return err
}

// Find is whose an account is by a binding; "" is nobody's.
func (s Bindings) Find(ctx context.Context, channel supervisor.Channel, account string) (string, error) {
	rows, err := s.db.read(ctx, findBinding, channel, account)
	user, _, err := one(rows, err, scanText)
	return user, wrap(err, "find whose account %s of %s is", account, channel)
}

// List lists all bindings, by person.
func (s Bindings) List(ctx context.Context) ([]Binding, error) {
	rows, err := s.db.read(ctx, listBindings)
	list, err := all(rows, err, func(rows *sql.Rows) (b Binding, err error) {
		err = rows.Scan(&b.Channel, &b.Account, &b.User)
		return b, err
	})
	return list, wrap(err, "list the bindings")
}

// Unbind takes an account from its person and ends their logins in that channel. It says whose it was; "" is nobody's.
func (s Bindings) Unbind(ctx context.Context, channel supervisor.Channel, account string) (user string, err error) {
	user, err = inTransaction(ctx, s.db.writer, func(t *tx) (string, error) {
		rows, err := t.query(deleteBinding, channel, account)
		user, ok, err := one(rows, err, scanText)
		if err != nil || !ok {
			return "", err
		}
		return user, t.exec(closeChannel, user, channel)
	})
	return user, wrap(err, "unbind account %s of %s", account, channel)
}
