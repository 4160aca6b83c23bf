package sqlite

import "context"

// Audit is who did what, and when. It is only ever added to.
type Audit struct{ db *DB }

const insertAudit = `INSERT INTO audit (user, action, detail, created_at) VALUES (?, ?, ?, ?)`

// Put adds an entry. user is "" where it was the service itself. detail holds nobody's words and no secret.
func (s Audit) Put(ctx context.Context, user, action, detail string) error {
	err := s.db.writer.do(ctx, func(t *tx) error { return t.exec(insertAudit, user, action, detail, t.now) })
	return during(err, "put %s of %s into the audit log", action, user)
}
