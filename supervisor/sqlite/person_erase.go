package sqlite

import (
	"cmp"
	"context"
	"fmt"

	"mews/supervisor/sqlite/internal/engine"
)

// personTable is a table with rows that name a person.
type personTable struct {
	name       string
	userColumn string // that names them; "" is user
	// erase deletes some of a person's rows, and all of them when it is run until it changes nothing. "" is for a table with a
	// rowid: Erase goes through it by that.
	erase  string
	hidden []string // columns that are not exported: secrets, and what would do as one
}

// personTables are all of them but the audit log, which is only ever added to. A table comes after those that name its rows.
var personTables = []personTable{
	{name: "post"}, {name: "cleaning"}, {name: "question", hidden: []string{"digest"}}, {name: "granted"}, {name: "lease"},
	{name: "extension"}, {name: "usage"}, {name: "effect"},
	{name: "tool_call", erase: `DELETE FROM tool_call WHERE (conversation, call) IN (SELECT t.conversation, t.call
		FROM conversation c JOIN tool_call t ON t.conversation = c.id WHERE c.user = ? LIMIT 1000)`},
	{name: "outbox"}, {name: "operation"},
	{name: "attachment", erase: `DELETE FROM attachment WHERE (inbound, position) IN (SELECT a.inbound, a.position
		FROM inbox i JOIN attachment a ON a.inbound = i.id WHERE i.user = ? LIMIT 1000)`},
	{name: "blob", erase: `DELETE FROM blob WHERE user = ?`},
	{name: "message"}, {name: "turn"}, {name: "inbox"}, {name: "received"},
	{name: "spent", erase: `DELETE FROM spent WHERE user = ?`},
	// One at a time: there is no index for some of the columns that may name a conversation.
	{name: "conversation", erase: `DELETE FROM conversation WHERE id = (SELECT min(id) FROM conversation WHERE user = ?)`},
	{name: "login", erase: closeLogins},
	{name: "recovery", erase: forgetRecovery, hidden: []string{"digest"}},
	{name: "totp", erase: deleteFactor, hidden: []string{"secret"}},
	{name: "invite", erase: `DELETE FROM invite WHERE user = ?`, hidden: []string{"digest"}},
	{name: "binding", erase: unbindUser},
	{name: "suspended", erase: unsuspend},
	{name: "setting", erase: `DELETE FROM setting WHERE user = ?`},
	{name: "person", userColumn: "name", erase: deletePerson},
}

// eraseWindow is how many rows of a table, whoever's, Erase goes through in one transaction: others who write wait for a few
// milliseconds.
const eraseWindow = 1000

// Erase deletes all that is kept of a person, except in the audit log, and says how many rows of each table that were. Tables
// without any are left out. It is for somebody who may not speak any more and whose turns have ended. What is added of theirs
// meanwhile fails it in the middle; it may then be run again. Nothing of it is left in the database's files. Their bytes in the
// spool are not deleted.
func (s People) Erase(ctx context.Context, user string) (counts map[string]int64, err error) {
	if user == "" {
		return nil, invalid("the service itself can't be erased")
	}
	counts, total := map[string]int64{}, int64(0)
	for _, table := range personTables {
		n, err := s.eraseFrom(ctx, table, user)
		if n > 0 {
			counts[table.name] = n
		}
		if err != nil {
			return counts, err
		}
		total += n
	}
	return counts, s.db.write(ctx, func(t tx) error {
		t.Scrub()
		return t.audit(user, "person.erased", fmt.Sprintf("%d rows", total))
	}, "keep that %s was erased", user)
}

func (s People) eraseFrom(ctx context.Context, table personTable, user string) (n int64, err error) {
	const doing = "erase %s from %s"
	change := func(query string, args ...any) int64 {
		some := int64(0)
		some, err = inTransaction(ctx, s.db, func(t tx) (int64, error) { return t.Change(query, args...) }, doing, user, table.name)
		n += some
		return some
	}
	if table.erase != "" {
		for change(table.erase, user) > 0 {
		}
		return n, err
	}
	last, err := engine.Value(s.db.reader(ctx, doing, user, table.name), engine.Integer,
		`SELECT coalesce(max(rowid), 0) FROM `+table.name)
	query := `DELETE FROM ` + table.name + ` WHERE user = ? AND rowid > ? AND rowid <= ?`
	for to := last; to > 0 && err == nil; to -= eraseWindow { // downwards: a turn goes before the one that has begun it
		change(query, user, to-eraseWindow, to)
	}
	return n, err
}

// Count says how many rows of each table Erase would delete of a person. Tables without any are left out.
func (s People) Count(ctx context.Context, user string) (map[string]int64, error) {
	counts := map[string]int64{}
	for _, table := range personTables {
		n, err := engine.Value(s.db.reader(ctx, "count what %s has in %s", user, table.name), engine.Integer,
			`SELECT count(*)`+table.rows(), user)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			counts[table.name] = n
		}
	}
	return counts, nil
}

// rows is the end of a query for a person's rows. A table's name is one of personTables.
func (h personTable) rows() string {
	return ` FROM ` + h.name + ` WHERE ` + cmp.Or(h.userColumn, "user") + ` = ?`
}
