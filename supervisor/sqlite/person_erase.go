package sqlite

import (
	"cmp"
	"context"
	"fmt"

	"mews/supervisor/internal/engine"
)

// personTable is a table with rows that name a person, as the schema has it.
type personTable struct {
	name   string
	column string // that names them
	rowid  bool   // its rows are gone through by rowid
}

// listPersonTables finds the tables with a column user, and person, whose column is name. The audit
// log is none of them: it is only ever added to. A table comes after those that name its rows, and
// person comes last.
const listPersonTables = `WITH RECURSIVE
	kept AS (SELECT name, NOT wr AS has_rowid FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> 'audit'),
	names (child, parent) AS (SELECT k.name, f."table" FROM kept k JOIN pragma_foreign_key_list(k.name) f
		WHERE f."table" <> k.name AND f.on_delete NOT IN ('SET NULL', 'CASCADE')),
	leveled (name, level) AS (SELECT name, 0 FROM kept
		UNION SELECT child, level + 1 FROM leveled JOIN names ON parent = leveled.name WHERE level < 100)
	SELECT k.name, c.name, k.has_rowid FROM kept k JOIN pragma_table_info(k.name) c
	WHERE c.name = iif(k.name = 'person', 'name', 'user')
	ORDER BY (SELECT max(level) FROM leveled l WHERE l.name = k.name) DESC, k.name = 'person', k.name`

// erasePiece are the tables of which a statement of their own deletes some of a person's rows. It
// is run until it changes nothing.
var erasePiece = map[string]string{
	"tool_call": `DELETE FROM tool_call WHERE (conversation, call) IN (SELECT t.conversation, t.call
		FROM conversation c JOIN tool_call t ON t.conversation = c.id WHERE c.user = ? LIMIT 1000)`,
	"attachment": `DELETE FROM attachment WHERE (inbound, position) IN (SELECT a.inbound, a.position
		FROM inbox i JOIN attachment a ON a.inbound = i.id WHERE i.user = ? LIMIT 1000)`,
	// One at a time: there is no index for some of the columns that may name a conversation.
	"conversation": `DELETE FROM conversation WHERE id = (SELECT min(id) FROM conversation WHERE user = ?)`,
	"host_uid":     leaveHostUID, // nobody else ever gets it
}

// tables are those with rows that name a person, in the order in which they are erased.
func (s People) tables(ctx context.Context) ([]personTable, error) {
	return engine.All(s.db.reader(ctx, "list the tables that name a person"), func(r *engine.Row) (t personTable) {
		r.Scan(&t.name, &t.column, &t.rowid)
		return t
	}, listPersonTables)
}

// eraseWindow is how many rows of a table, whoever's, Erase goes through in one transaction: others
// who write wait for a few milliseconds.
const eraseWindow = 1000

// Erase deletes all that is kept of a person, except in the audit log, and says how many rows of
// each table that were. Tables without any are left out. It is for somebody who may not speak any
// more and whose turns have ended. What is added of theirs meanwhile fails it in the middle; it may
// then be run again. Nothing of it is left in the database's files. Their bytes in the spool are
// not deleted.
func (s People) Erase(ctx context.Context, user string) (counts map[string]int64, err error) {
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
		t.Scrub()
		t.audit(user, "person.erased", fmt.Sprintf("%d rows", total))
	}, "keep that %s was erased", user)
}

func (s People) eraseFrom(ctx context.Context, table personTable, user string) (n int64, err error) {
	const doing = "erase %s from %s"
	change := func(query string, args ...any) int64 {
		some := int64(0)
		some, err = inTransaction(ctx, s.db, func(t *tx) int64 { return t.Change(query, args...) }, doing, user, table.name)
		n += some
		return some
	}
	if piece := erasePiece[table.name]; piece != "" || !table.rowid {
		for change(cmp.Or(piece, `DELETE`+table.rows()), user) > 0 {
		}
		return n, err
	}
	last, err := engine.Value(s.db.reader(ctx, doing, user, table.name), engine.Integer,
		`SELECT coalesce(max(rowid), 0) FROM `+table.name)
	query := `DELETE` + table.rows() + ` AND rowid > ? AND rowid <= ?`
	// downwards: a turn goes before the one that has begun it
	for to := last; to > 0 && err == nil; to -= eraseWindow {
		change(query, user, to-eraseWindow, to)
	}
	return n, err
}

// Count says how many rows of each table Erase would delete of a person. Tables without any are
// left out.
func (s People) Count(ctx context.Context, user string) (map[string]int64, error) {
	tables, err := s.tables(ctx)
	counts := map[string]int64{}
	for _, table := range tables {
		n, err := engine.Value(s.db.reader(ctx, "count what %s has in %s", user, table.name), engine.Integer,
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

// rows is the end of a query for a person's rows. The names are the schema's own.
func (h personTable) rows() string { return ` FROM ` + h.name + ` WHERE ` + h.column + ` = ?` }
