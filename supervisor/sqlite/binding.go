package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/problem"
)

// Bindings stores which channel account belongs to which user. Accounts of the configuration are
// not in it.
type Bindings struct{ db *DB }

// Binding is a channel account that belongs to a user.
type Binding struct {
	Channel supervisor.Channel
	Account string // the channel's number of the account
	User    string
}

const (
	insertBinding = `INSERT INTO binding (channel, account, user, created_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (channel, account) DO NOTHING`
	findBinding  = `SELECT user FROM binding WHERE channel = ? AND account = ?`
	listBindings = `SELECT channel, account, user FROM binding ORDER BY user, channel, account`
	unbindUser   = `DELETE FROM binding WHERE user = ?`
)

// Bind binds a channel account to a user. A second call changes nothing. Bind fails with
// ProblemAccountTaken if the account belongs to another user.
func (s Bindings) Bind(ctx context.Context, b Binding) error {
	return s.db.write(ctx, func(t *tx) { t.bind(b) }, "bind account %s of %s to %s", b.Account, b.Channel, b.User)
}

func (t *tx) bind(b Binding) {
	t.Exec(insertBinding, b.Channel, b.Account, b.User, t.Now)
	if value(t, engine.String, findBinding, b.Channel, b.Account) != b.User {
		t.fail(problem.New(problem.AccountTaken, nil))
	}
}

// Find returns the user that an account is bound to; "" means none.
func (s Bindings) Find(ctx context.Context, channel supervisor.Channel, account string) (string, error) {
	return engine.Value(s.db.reader(ctx, "find the user of account %s of %s", account, channel), engine.String, findBinding, channel, account)
}

// List lists all bindings, by user.
func (s Bindings) List(ctx context.Context) ([]Binding, error) {
	return engine.All(s.db.reader(ctx, "list the bindings"), func(r *engine.Row) (b Binding) {
		r.Scan(&b.Channel, &b.Account, &b.User)
		return b
	}, listBindings)
}
