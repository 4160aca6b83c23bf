package sqlite

import (
	"cmp"
	"context"
	"fmt"

	"mews/supervisor/internal/engine"
)

// userTable is a table of the schema with rows that name a user.
type userTable struct {
	name   string
	column string // the column with the user's name
	rowid  bool   // the table has rowids
}

// listUserTables finds the tables with a column user, and the table person with its column name.
// The audit log is left out, since its rows are never deleted. A table comes after the tables that
// refer to its rows. The table person comes after all of these tables. The table host_uid comes
// last, so that a uid is retired when no data of its user is left.
const listUserTables = `WITH RECURSIVE
	kept AS (SELECT name, NOT wr AS has_rowid FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> 'audit'),
	names (child, parent) AS (SELECT k.name, f."table" FROM kept k JOIN pragma_foreign_key_list(k.name) f
		WHERE f."table" <> k.name AND f.on_delete NOT IN ('SET NULL', 'CASCADE')),
	leveled (name, level) AS (SELECT name, 0 FROM kept
		UNION SELECT child, level + 1 FROM leveled JOIN names ON parent = leveled.name WHERE level < 100)
	SELECT k.name, c.name, k.has_rowid FROM kept k JOIN pragma_table_info(k.name) c
	WHERE c.name = iif(k.name = 'person', 'name', 'user')
	ORDER BY k.name = 'host_uid', (SELECT max(level) FROM leveled l WHERE l.name = k.name) DESC, k.name = 'person',
		k.name`

// eraseStatements lists the tables with a delete statement of their own. Each statement is repeated
// until it changes nothing.
var eraseStatements = map[string]string{
	"tool_call": `DELETE FROM tool_call WHERE (conversation, call) IN (SELECT t.conversation, t.call
		FROM conversation c JOIN tool_call t ON t.conversation = c.id WHERE c.user = ? LIMIT 1000)`,
	"attachment": `DELETE FROM attachment WHERE (inbound, position) IN (SELECT a.inbound, a.position
		FROM inbox i JOIN attachment a ON a.inbound = i.id WHERE i.user = ? LIMIT 1000)`,
	// Conversations are deleted one by one, since some columns that refer to conversations have no
	// index.
	"conversation": `DELETE FROM conversation WHERE id = (SELECT min(id) FROM conversation WHERE user = ?)`,
	"host_uid":     retireHostUID, // the row stays without its user, so that no other user gets the id
}

// tables returns the tables with rows that name a user, in the order of erasing.
func (s Users) tables(ctx context.Context) ([]userTable, error) {
	return engine.AllRows(s.db.reader(ctx, "list the tables with users"), func(r *engine.Row) (t userTable) {
		r.Scan(&t.name, &t.column, &t.rowid)
		return t
	}, listUserTables)
}

// eraseWindow is the number of rows that Erase reads in a transaction. So other writers wait only
// some milliseconds.
const eraseWindow = 1000

// Erase deletes all data of a user except in the audit log. It returns the number of deleted rows
// by table, without empty tables. The user must be unable to speak, and their turns must have
// ended. If data is added meanwhile, Erase fails in the middle and must be called again. The
// database's files do not keep the deleted data. Erase does not delete bytes in the spool.
func (s Users) Erase(ctx context.Context, user string) (counts map[string]int64, err error) {
	if user == "" {
		return nil, invalid("the service itself can't be erased")
	}
	tables, err := s.tables(ctx)
	if err != nil {
		return nil, err
	}
	counts, total := map[string]int64{}, int64(0)
	for _, table := range tables {
		n, err := s.eraseFrom(ctx, table, user)
		if n > 0 {
			counts[table.name] = n
		}
		if err != nil {
			return counts, err
		}
		total += n
	}
	return counts, s.db.write(ctx, func(t *tx) {
		t.ScrubJournal()
		t.audit(user, "person.erased", fmt.Sprintf("%d rows", total))
	}, "record that %s was erased", user)
}

func (s Users) eraseFrom(ctx context.Context, table userTable, user string) (n int64, err error) {
	const doing = "erase %s from %s"
	change := func(query string, args ...any) int64 {
		some := int64(0)
		some, err = inTransaction(ctx, s.db, func(t *tx) int64 {
			t.settings = t.settings || table.name == "setting"
			return t.ExecCount(query, args...)
		}, doing, user, table.name)
		n += some
		return some
	}
	if piece := eraseStatements[table.name]; piece != "" || !table.rowid {
		for change(cmp.Or(piece, `DELETE`+table.rows()), user) > 0 {
		}
		return n, err
	}
	last, err := engine.FirstValue(s.db.reader(ctx, doing, user, table.name), engine.ScanInteger,
		`SELECT coalesce(max(rowid), 0) FROM `+table.name)
	query := `DELETE` + table.rows() + ` AND rowid > ? AND rowid <= ?`
	// from the greatest rowid down, so that a child turn is deleted before its parent
	for to := last; to > 0 && err == nil; to -= eraseWindow {
		change(query, user, to-eraseWindow, to)
	}
	return n, err
}

// CountUserRows returns how many rows of each table Erase would delete. It omits tables without
// such rows.
func (s Users) CountUserRows(ctx context.Context, user string) (map[string]int64, error) {
	tables, err := s.tables(ctx)
	counts := map[string]int64{}
	for _, table := range tables {
		n, err := engine.FirstValue(s.db.reader(ctx, "count rows of %s in %s", user, table.name), engine.ScanInteger,
			`SELECT count(*)`+table.rows(), user)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			counts[table.name] = n
		}
	}
	return counts, err
}

// rows returns the end of a query for a user's rows of the table. The names come from the schema.
func (h userTable) rows() string { return ` FROM ` + h.name + ` WHERE ` + h.column + ` = ?` }
