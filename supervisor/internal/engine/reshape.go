package engine

import (
	"fmt"
	"slices"
	"strings"
)

// SQL statements for the last number that AUTOINCREMENT has used in a table.
const (
	findSequence   = `SELECT seq FROM sqlite_sequence WHERE name = ?`
	deleteSequence = `DELETE FROM sqlite_sequence WHERE name = ?`
	putSequence    = `INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)`
)

// reshape gives the database a schema. If a table has another definition, its rows keep the columns
// that both definitions have. New columns get their default. Foreign keys must be off. It fails if
// the database has an object that the schema lacks.
func (c *connection) reshape(want schema) error {
	have, err := c.schema()
	if err != nil {
		return err
	}
	for _, w := range want {
		h, ok := have.find(w)
		if w.kind == "table" && ok && h.sql != w.sql {
			if err := c.rebuild(h, w); err != nil {
				return fmt.Errorf("rebuild the %s: %w", w, err)
			}
		}
	}
	if have, err = c.schema(); err != nil {
		return err
	}
	for _, w := range want {
		if _, ok := have.find(w); !ok {
			if err := c.exec(w.sql); err != nil {
				return fmt.Errorf("make the %s: %w", w, err)
			}
		}
	}
	if have, err = c.schema(); err != nil {
		return err
	}
	if difference := have.differenceTo(want); difference != "" {
		return fmt.Errorf("after the repair %s", difference)
	}
	return nil
}

// rebuild gives a table another definition. The indexes and triggers of the old table are deleted.
func (c *connection) rebuild(have, want schemaObject) error {
	q := &Tx{conn: c}
	last, counts := int64(0), strings.Contains(want.sql, "AUTOINCREMENT")
	if counts {
		var err error
		if last, err = FirstValue(q, ScanInteger, findSequence, want.name); err != nil {
			return err
		}
	}
	var both []string
	for _, column := range want.columns {
		if slices.ContainsFunc(have.columns, func(h schemaColumn) bool { return h.name == column.name }) {
			both = append(both, quoteName(column.name))
		}
	}
	table, kept, columns := quoteName(want.name), quoteName(want.name+" before repair"), strings.Join(both, ", ")
	for _, statement := range []string{
		fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM %s", kept, table), "DROP TABLE " + table, want.sql,
		fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", table, columns, columns, kept), "DROP TABLE " + kept,
	} {
		if err := c.exec(statement); err != nil {
			return err
		}
	}
	if !counts || last == 0 {
		return nil
	}
	if err := q.Exec(deleteSequence, want.name); err != nil {
		return err
	}
	return q.Exec(putSequence, want.name, last)
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
