package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/problem"
)

// AccountBindings stores which channel account belongs to which user. It does not store accounts of
// the configuration.
type AccountBindings struct{ db *DB }

// AccountBinding is a channel account that belongs to a user.
type AccountBinding struct {
	Channel supervisor.Channel
	Account string // id of the account on the channel
	User    string
}

const (
	insertBinding = `INSERT INTO binding (channel, account, user, created_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (channel, account) DO NOTHING`
	findBinding   = `SELECT user FROM binding WHERE channel = ? AND account = ?`
	listBindings  = `SELECT channel, account, user FROM binding ORDER BY user, created_at, channel, account`
	deleteBinding = `DELETE FROM binding WHERE user = ? AND channel = ? AND account = ?`
	unbindUser    = `DELETE FROM binding WHERE user = ?`
)

// BindAccount binds a channel account to a user. A second call changes nothing. BindAccount fails
// with problem.AccountTaken if the account belongs to another user.
func (s AccountBindings) BindAccount(ctx context.Context, b AccountBinding) error {
	return s.db.write(ctx, func(t *tx) { t.bind(b) }, "bind account %s of %s to %s", b.Account, b.Channel, b.User)
}

func (t *tx) bind(b AccountBinding) {
	t.Exec(insertBinding, b.Channel, b.Account, b.User, t.Now)
	if value(t, engine.ScanString, findBinding, b.Channel, b.Account) != b.User {
		t.fail(problem.New(problem.AccountOfOtherUser, nil))
	}
}

// FindUser returns the user that an account is bound to; "" means none.
func (s AccountBindings) FindUser(ctx context.Context, channel supervisor.Channel, account string) (string, error) {
	return engine.FirstValue(s.db.reader(ctx, "find the user of account %s of %s", account, channel), engine.ScanString,
		findBinding, channel, account)
}

// Remove takes an account away from a user, and ends the login in its private chat. It reports
// whether the user had the account. If so, it adds the audit entries in the same transaction.
func (s AccountBindings) Remove(ctx context.Context, b AccountBinding, entries ...AuditEntry) (bool, error) {
	n, err := s.db.auditIfChanged(ctx, entries, func(t *tx) int64 {
		t.Exec(closeLogin, b.User, b.Channel, b.Account)
		return t.ExecCount(deleteBinding, b.User, b.Channel, b.Account)
	}, "take account %s of %s from %s", b.Account, b.Channel, b.User)
	return n > 0, err
}

// List lists all bindings, by user. A user's oldest binding comes first.
func (s AccountBindings) List(ctx context.Context) ([]AccountBinding, error) {
	return engine.AllRows(s.db.reader(ctx, "list the bindings"), scanBinding, listBindings)
}

func scanBinding(r *engine.Row) (b AccountBinding) {
	r.Scan(&b.Channel, &b.Account, &b.User)
	return b
}
