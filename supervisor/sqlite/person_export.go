package sqlite

import (
	"context"
	"fmt"
	"io"

	"mews/supervisor/internal/engine"
)

// exportPage is the number of rows that Export holds in memory.
const exportPage = 500

// Export writes all data of a user to w as lines of JSON. A line is {"table":"inbox","row":{"id":1,
// ...}}. Columns have their stored form: times in unix milliseconds, bytes in base64. Secrets and
// digests of codes are left out. Data that is stored meanwhile may be missing.
func (s Users) Export(ctx context.Context, user string, w io.Writer) error {
	tables, err := s.tables(ctx)
	if err != nil {
		return err
	}
	for _, table := range append(tables, userTable{name: "audit", column: "user", rowid: true}) {
		if err := s.exportFrom(ctx, table, user, w); err != nil {
			return err
		}
	}
	return nil
}

// pageKey is the name of an added column: the rowid at which the next page starts. No table has a
// column of that name.
const pageKey = "page key"

// notExported lists the columns that are never exported: secrets, and digests that could serve as
// secrets.
var notExported = []string{"secret", "digest", pageKey}

func (s Users) exportFrom(ctx context.Context, table userTable, user string, w io.Writer) error {
	read := s.db.reader(ctx, "export table %s of %s", user, table.name)
	for after, more := int64(0), true; more; {
		query, args := table.page(user, after)
		page, err := engine.AllRows(read, (*engine.Row).Values, query, args...)
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

// page returns the query for a page of a user's rows. A table without rowids has only few or small
// rows, so one page holds all its rows.
func (h userTable) page(user string, after int64) (query string, args []any) {
	if !h.rowid {
		return `SELECT *` + h.rows(), []any{user}
	}
	return `SELECT rowid AS "` + pageKey + `", *` + h.rows() + ` AND rowid > ? ORDER BY rowid LIMIT ?`,
		[]any{user, after, exportPage}
}
