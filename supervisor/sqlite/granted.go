package sqlite

import (
	"context"
	"fmt"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/problem"
)

// Grants stores the approvals that hold until their users revoke them.
type Grants struct{ db *DB }

// Grants returns the store of lasting approvals.
func (db *DB) Grants() Grants { return Grants{db} }

const insertGrant = `INSERT INTO granted (user, tool, subject, text, created_at) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT (user, subject) WHERE revoked_at IS NULL DO NOTHING`

const countGrants = `SELECT count(*) FROM granted WHERE user = ? AND subject = ? AND revoked_at IS NULL`

// HasGrant reports whether a user has a grant for the subject of a question.
func (s Grants) HasGrant(ctx context.Context, user, subject string) (bool, error) {
	return engine.FirstValue(s.db.reader(ctx, "find a grant of %s", user), engine.ScanBool, countGrants, user, subject)
}

const listGrants = `SELECT id, tool, subject, text, created_at FROM granted WHERE user = ? AND revoked_at IS NULL
	ORDER BY id`

// List lists a user's grants, the oldest first.
func (s Grants) List(ctx context.Context, user string) ([]supervisor.Grant, error) {
	return engine.AllRows(s.db.reader(ctx, "list the grants of %s", user), func(row *engine.Row) (g supervisor.Grant) {
		row.Scan(&g.ID, &g.Tool, &g.Subject, &g.Text, &g.CreatedAt)
		return g
	}, listGrants, user)
}

const revokeGrant = `UPDATE granted SET revoked_at = ? WHERE id = ? AND user = ? AND revoked_at IS NULL`

// Revoke revokes a user's grant and adds an entry to the audit log. It fails with
// problem.NoSuchGrant if the user has no such grant.
func (s Grants) Revoke(ctx context.Context, user string, id int64) error {
	return s.db.write(ctx, func(t *tx) {
		if t.ExecCount(revokeGrant, t.Now, id, user) == 0 {
			t.fail(problem.New(problem.NoSuchGrant, nil, id, user))
		}
		t.audit(user, "grant.revoked", fmt.Sprint("grant ", id))
	}, "revoke a grant of %s", user)
}
