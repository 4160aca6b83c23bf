package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"
)

// exportPage is how many rows Export has in memory at once.
const exportPage = 500

// Export writes all that is kept of a person to w, as lines of JSON: {"table":"inbox","row":{"id":1, ...}}. Columns are as
// they are kept: times in unix milliseconds, bytes in base64. Secrets and the digests of codes are left out. What is
// written meanwhile may be in it or not.
func (s People) Export(ctx context.Context, user string, w io.Writer) error {
	for _, h := range append(slices.Clone(personTables), personTable{table: "audit"}) {
		if err := s.exportFrom(ctx, h, user, w); err != nil {
			return wrap(err, "export what %s has of %s", user, h.table)
		}
	}
	return nil
}

// exportRow is a row with where the next page begins after it.
type exportRow struct {
	rowid  int64 // 0 in a table that has none
	values map[string]any
}

func (s People) exportFrom(ctx context.Context, h personTable, user string, w io.Writer) error {
	for after, more := int64(0), true; more; {
		query, args := h.page(user, after)
		rows, err := s.db.read(ctx, query, args...)
		page, err := all(rows, err, h.scan)
		if err != nil {
			return err
		}
		for _, r := range page {
			line, err := encode(map[string]any{"table": h.table, "row": r.values})
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
			after = r.rowid
		}
		more = len(page) == exportPage && after > 0
	}
	return nil
}

// page asks for some of a person's rows. Of a table without a rowid it is all of them, which are few or small.
func (h personTable) page(user string, after int64) (query string, args []any) {
	where := ` FROM ` + h.table + ` WHERE ` + cmp.Or(h.userColumn, "user") + ` = ?`
	if h.erase == "" {
		return `SELECT rowid, *` + where + ` AND rowid > ? ORDER BY rowid LIMIT ?`, []any{user, after, exportPage}
	}
	return `SELECT 0, *` + where, []any{user}
}

func (h personTable) scan(rows *sql.Rows) (r exportRow, err error) {
	columns, err := rows.Columns()
	if err != nil {
		return r, err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	into[0] = &r.rowid
	if err := rows.Scan(into...); err != nil {
		return r, err
	}
	r.values = map[string]any{}
	for i, name := range columns[1:] {
		if !slices.Contains(h.hidden, name) {
			r.values[name] = values[i+1]
		}
	}
	return r, nil
}
