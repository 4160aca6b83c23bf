package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"mews/supervisor"
)

// Grants are what people allow always.
type Grants struct{ db *DB }

// Grants are what people allow always.
func (db *DB) Grants() Grants { return Grants{db} }

const insertGrant = `INSERT INTO granted (user, tool, subject, text, created_at) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT (user, subject) WHERE revoked_at IS NULL DO NOTHING`

// grant keeps that the person of a question allows always what it is about.
func (t questionTx) grant(q supervisor.Question) error {
	return t.exec(insertGrant, q.Conversation.User, q.Tool, q.Subject, q.Text, t.now)
}

const countGrants = `SELECT count(*) FROM granted WHERE user = ? AND subject = ? AND revoked_at IS NULL`

// Granted says whether a person allows always what has that subject, which is as a Question's.
func (s Grants) Granted(ctx context.Context, user, subject string) (bool, error) {
	rows, err := s.db.read(ctx, countGrants, user, subject)
	n, _, err := one(rows, err, scanInt)
	return n > 0, wrap(err, "find what %s has granted", user)
}

const listGrants = `SELECT id, tool, subject, text, created_at FROM granted WHERE user = ? AND revoked_at IS NULL
	ORDER BY id`

// List lists what a person allows always, the oldest first.
func (s Grants) List(ctx context.Context, user string) ([]supervisor.Grant, error) {
	rows, err := s.db.read(ctx, listGrants, user)
	list, err := all(rows, err, func(rows *sql.Rows) (g supervisor.Grant, err error) {
		at := int64(0)
		err = rows.Scan(&g.ID, &g.Tool, &g.Subject, &g.Text, &at)
		g.CreatedAt = fromMillis(at)
		return g, err
	})
	return list, wrap(err, "list what %s has granted", user)
}

const revokeGrant = `UPDATE granted SET revoked_at = ? WHERE id = ? AND user = ? AND revoked_at IS NULL`

// Revoke ends what a person allows always, and audits that; refused if there is no such thing of theirs.
func (s Grants) Revoke(ctx context.Context, user string, id int64) error {
	err := s.db.writer.do(ctx, func(t *tx) error {
		n, err := t.change(revokeGrant, t.now, id, user)
		if err == nil && n == 0 {
			err = notFound("There is no number %d among what %s allows always.", id, user)
		}
		if err != nil {
			return err
		}
		return t.audit(user, "grant.revoked", fmt.Sprint("grant ", id))
	})
	return wrap(err, "revoke what %s has granted", user)
}
