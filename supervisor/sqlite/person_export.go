package sqlite

import (
	"context"
	"fmt"
	"io"

	"mews/supervisor/internal/engine"
)

// exportPage is how many rows Export has in memory at once.
const exportPage = 500

// Export writes all that is kept of a person to w, as lines of JSON:
// {"table":"inbox","row":{"id":1, ...}}. Columns are as they are kept: times in unix milliseconds,
// bytes in base64. Secrets and the digests of codes are left out. What is written meanwhile may be
// in it or not.
func (s People) Export(ctx context.Context, user string, w io.Writer) error {
	tables, err := s.tables(ctx)
	if err != nil {
		return err
	}
	for _, table := range append(tables, personTable{name: "audit", column: "user", rowid: true}) {
		if err := s.exportFrom(ctx, table, user, w); err != nil {
			return err
		}
	}
	return nil
}

// pageKey is the column by which a page says where the next one begins; no table has it.
const pageKey = "page key"

// notExported are the columns that are left out, in whichever table they are: secrets, and what
// would do as one.
var notExported = []string{"secret", "digest", pageKey}

func (s People) exportFrom(ctx context.Context, table personTable, user string, w io.Writer) error {
	read := s.db.reader(ctx, "export what %s has of %s", user, table.name)
	for after, more := int64(0), true; more; {
		query, args := table.page(user, after)
		page, err := engine.All(read, (*engine.Row).Values, query, args...)
		if err != nil {
			return err
		}
		for _, values := range page {
			after, _ = values[pageKey].(int64)
			for _, name := range notExported {
				delete(values, name)
			}
			line, err := encode(map[string]any{"table": table.name, "row": values})
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(w, line); err != nil {
				return fmt.Errorf("export what %s has of %s: %w", user, table.name, err)
			}
		}
		more = len(page) == exportPage && after > 0
	}
	return nil
}

// page asks for some of a person's rows. Of a table without a rowid it is all of them, which are
// few or small.
func (h personTable) page(user string, after int64) (query string, args []any) {
	if !h.rowid {
		return `SELECT *` + h.rows(), []any{user}
	}
	return `SELECT rowid AS "` + pageKey + `", *` + h.rows() + ` AND rowid > ? ORDER BY rowid LIMIT ?`,
		[]any{user, after, exportPage}
}
