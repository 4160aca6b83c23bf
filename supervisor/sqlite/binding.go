package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/problem"
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
	findBinding  = `SELECT user FROM binding WHERE channel = ? AND account = ?`
	listBindings = `SELECT channel, account, user FROM binding ORDER BY user, channel, account`
	unbindUser   = `DELETE FROM binding WHERE user = ?`
)

// Bind makes an account a person's. A second time changes nothing. ProblemAccountTaken says that it
// is another person's.
func (s Bindings) Bind(ctx context.Context, b Binding) error {
	return s.db.write(ctx, func(t *tx) { t.bind(b) }, "bind account %s of %s to %s", b.Account, b.Channel, b.User)
}

func (t *tx) bind(b Binding) {
	t.Exec(insertBinding, b.Channel, b.Account, b.User, t.Now)
	if value(t, engine.String, findBinding, b.Channel, b.Account) != b.User {
		t.fail(problem.New(problem.AccountTaken, nil))
	}
}

// Find is whose an account is by a binding; "" is nobody's.
func (s Bindings) Find(ctx context.Context, channel supervisor.Channel, account string) (string, error) {
	return engine.Value(s.db.reader(ctx, "find whose account %s of %s is", account, channel), engine.String, findBinding, channel, account)
}

// List lists all bindings, by person.
func (s Bindings) List(ctx context.Context) ([]Binding, error) {
	return engine.All(s.db.reader(ctx, "list the bindings"), func(r *engine.Row) (b Binding) {
		r.Scan(&b.Channel, &b.Account, &b.User)
		return b
	}, listBindings)
}
