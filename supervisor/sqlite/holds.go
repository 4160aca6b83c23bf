package sqlite

import (
	"cmp"
	"context"
)

// Count says how many rows of each table Erase would delete of a person. Tables without any are left out.
func (s People) Count(ctx context.Context, user string) (map[string]int64, error) {
	counts := map[string]int64{}
	for _, h := range holdings {
		rows, err := s.db.read(ctx, h.count(), user)
		n, _, err := one(rows, err, scanInt)
		if err != nil {
			return nil, during(err, "count what %s has in %s", user, h.table)
		}
		if n > 0 {
			counts[h.table] = n
		}
	}
	return counts, nil
}

// count is the statement; a table's name is one of holdings.
func (h holding) count() string {
	return `SELECT count(*) FROM ` + h.table + ` WHERE ` + cmp.Or(h.names, "user") + ` = ?`
}
