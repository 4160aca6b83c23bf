package sqlite

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/sqlite/internal/engine"
)

// Grants are what people allow always.
type Grants struct{ db *DB }

// Grants are what people allow always.
func (db *DB) Grants() Grants { return Grants{db} }

const insertGrant = `INSERT INTO granted (user, tool, subject, text, created_at) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT (user, subject) WHERE revoked_at IS NULL DO NOTHING`

// grant keeps that the person of a question allows always what it is about.
func (t tx) grant(q supervisor.Question) error {
	return t.Exec(insertGrant, q.Conversation.User, q.Tool, q.Subject, q.Text, t.Now)
}

const countGrants = `SELECT count(*) FROM granted WHERE user = ? AND subject = ? AND revoked_at IS NULL`

// Granted says whether a person allows always what has that subject, which is as a Question's.
func (s Grants) Granted(ctx context.Context, user, subject string) (bool, error) {
	n, _, err := engine.One(s.db.reader(ctx), engine.Integer, countGrants, user, subject)
	return n > 0, wrap(err, "find what %s has granted", user)
}

const listGrants = `SELECT id, tool, subject, text, created_at FROM granted WHERE user = ? AND revoked_at IS NULL
	ORDER BY id`

// List lists what a person allows always, the oldest first.
func (s Grants) List(ctx context.Context, user string) ([]supervisor.Grant, error) {
	list, err := engine.All(s.db.reader(ctx), func(row *engine.Row) (g supervisor.Grant) {
		row.Scan(&g.ID, &g.Tool, &g.Subject, &g.Text, &g.CreatedAt)
		return g
	}, listGrants, user)
	return list, wrap(err, "list what %s has granted", user)
}

const revokeGrant = `UPDATE granted SET revoked_at = ? WHERE id = ? AND user = ? AND revoked_at IS NULL`

// Revoke ends what a person allows always, and audits that; refused if there is no such thing of theirs.
func (s Grants) Revoke(ctx context.Context, user string, id int64) error {
	err := s.db.write(ctx, func(t tx) error {
		n, err := t.Change(revokeGrant, t.Now, id, user)
		if err == nil && n == 0 {
			err = supervisor.NewProblem(supervisor.ProblemNoSuchGrant, nil, id, user)
		}
		if err != nil {
			return err
		}
		return t.audit(user, "grant.revoked", fmt.Sprint("grant ", id))
	})
	return wrap(err, "revoke what %s has granted", user)
}
