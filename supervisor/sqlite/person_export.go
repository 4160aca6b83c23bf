package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"mews/supervisor/sqlite/internal/engine"
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

func (s People) exportFrom(ctx context.Context, h personTable, user string, w io.Writer) error {
	for after, more := int64(0), true; more; {
		query, args := h.page(user, after)
		page, err := engine.All(s.db.reader(ctx), (*engine.Row).Values, query, args...)
		if err != nil {
			return err
		}
		for _, values := range page {
			after, _ = values[pageKey].(int64)
			for _, name := range append(h.hidden, pageKey) {
				delete(values, name)
			}
			line, err := encode(map[string]any{"table": h.table, "row": values})
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
		}
		more = len(page) == exportPage && after > 0
	}
	return nil
}

// pageKey is the column by which a page says where the next one begins; no table has it.
const pageKey = "page key"

// page asks for some of a person's rows. Of a table without a rowid it is all of them, which are few or small.
func (h personTable) page(user string, after int64) (query string, args []any) {
	where := ` FROM ` + h.table + ` WHERE ` + cmp.Or(h.userColumn, "user") + ` = ?`
	if h.erase == "" {
		return `SELECT rowid AS "` + pageKey + `", *` + where + ` AND rowid > ? ORDER BY rowid LIMIT ?`,
			[]any{user, after, exportPage}
	}
	return `SELECT *` + where, []any{user}
}
