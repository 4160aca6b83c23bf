package sqlite

import (
	"cmp"
	"context"
	"time"

	"mews/supervisor/sqlite/internal/engine"
)

// AuditFilter says which entries are asked for. The zero value is all.
type AuditFilter struct {
	User   string    // whose; "" is everybody's
	Action string    // how their action begins
	Since  time.Time // not before
	Until  time.Time // before; zero is no end
	After  int64     // with a greater id: for the next page, the last one's
	Limit  int       // how many at most; 0 is all
}

const listAudit = selectAudit + `WHERE id > ?1 AND (?2 = '' OR user = ?2) AND substr(action, 1, length(?3)) = ?3
	AND created_at >= ?4 AND created_at < ?5 ORDER BY id LIMIT ?6`

// List lists entries, oldest first. It may read all of them: it is for people who ask.
func (s Audit) List(ctx context.Context, f AuditFilter) ([]AuditRow, error) {
	limit := cmp.Or(f.Limit, -1)
	list, err := engine.All(s.db.reader(ctx), func(row *engine.Row) AuditRow { return scanAudit(row).AuditRow },
		listAudit, f.After, f.User, f.Action, since(f.Since), until(f.Until), limit)
	return list, wrap(err, "list the audit log")
}
