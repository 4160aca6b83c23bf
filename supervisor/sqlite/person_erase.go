package sqlite

import (
	"cmp"
	"context"
	"fmt"

	"mews/supervisor/sqlite/internal/engine"
)

// personTable is a table with rows that name a person.
type personTable struct {
	table      string
	userColumn string // the column that names them; "" is user
	// erase deletes some of a person's rows, and all when it is run until it changes nothing. "" is a table with a rowid,
	// which is gone through by that.
	erase  string
	hidden []string // columns that nobody is given: secrets, and what would do as one
}

// personTables are all of them but the audit log, which is only ever added to: what is named by another comes after that.
var personTables = []personTable{
	{table: "post"}, {table: "cleaning"}, {table: "question", hidden: []string{"digest"}}, {table: "granted"}, {table: "lease"},
	{table: "extension"}, {table: "usage"}, {table: "effect"},
	{table: "tool_call", erase: `DELETE FROM tool_call WHERE (conversation, call) IN (SELECT t.conversation, t.call
		FROM conversation c JOIN tool_call t ON t.conversation = c.id WHERE c.user = ? LIMIT 1000)`},
	{table: "outbox"}, {table: "operation"},
	{table: "attachment", erase: `DELETE FROM attachment WHERE (inbound, position) IN (SELECT a.inbound, a.position
		FROM inbox i JOIN attachment a ON a.inbound = i.id WHERE i.user = ? LIMIT 1000)`},
	{table: "blob", erase: `DELETE FROM blob WHERE user = ?`},
	{table: "message"}, {table: "turn"}, {table: "inbox"}, {table: "received"},
	{table: "spent", erase: `DELETE FROM spent WHERE user = ?`},
	// One at a time: what may name a conversation is not always found by it.
	{table: "conversation", erase: `DELETE FROM conversation WHERE id = (SELECT min(id) FROM conversation WHERE user = ?)`},
	{table: "login", erase: closeLogins},
	{table: "recovery", erase: forgetRecovery, hidden: []string{"digest"}},
	{table: "totp", erase: deleteFactor, hidden: []string{"secret"}},
	{table: "invite", erase: `DELETE FROM invite WHERE user = ?`, hidden: []string{"digest"}},
	{table: "binding", erase: unbindUser},
	{table: "suspended", erase: unsuspend},
	{table: "setting", erase: `DELETE FROM setting WHERE user = ?`},
	{table: "person", userColumn: "name", erase: deletePerson},
}

// eraseWindow is how many rows of a table, whoever's, Erase goes through in one transaction: others who write wait for a
// few milliseconds.
const eraseWindow = 1000

// Erase deletes all that is kept of a person, except in the audit log, and says how many rows of each table that were;
// tables without any are left out. It is for somebody who may not speak any more and whose turns have ended: what they
// still add fails it in the middle, and it may then be run again. Nothing of it is left in the database's files. Their bytes
// in the spool are not deleted.
func (s People) Erase(ctx context.Context, user string) (counts map[string]int64, err error) {
	if user == "" {
		return nil, invalid("the service itself can't be erased")
	}
	counts, total := map[string]int64{}, int64(0)
	for _, h := range personTables {
		n, err := s.eraseFrom(ctx, h, user)
		if n > 0 {
			counts[h.table] = n
		}
		if err != nil {
			return counts, wrap(err, "erase %s from %s", user, h.table)
		}
		total += n
	}
	err = s.db.write(ctx, func(t tx) error {
		t.Scrub()
		return t.audit(user, "person.erased", fmt.Sprintf("%d rows", total))
	})
	return counts, wrap(err, "keep that %s was erased", user)
}

func (s People) eraseFrom(ctx context.Context, h personTable, user string) (n int64, err error) {
	change := func(query string, args ...any) (int64, error) {
		return inTransaction(ctx, s.db, func(t tx) (int64, error) { return t.Change(query, args...) })
	}
	if h.erase != "" {
		for {
			some, err := change(h.erase, user)
			if n += some; err != nil || some == 0 {
				return n, err
			}
		}
	}
	last, _, err := engine.One(s.db.reader(ctx), engine.Integer, h.maxRowID())
	for to := last; to > 0 && err == nil; to -= eraseWindow { // a turn goes before the one that has begun it
		var some int64
		some, err = change(h.eraseRange(), user, to-eraseWindow, to)
		n += some
	}
	return n, err
}

// The statements for tables with a rowid; a table's name is one of holdings.

func (h personTable) maxRowID() string { return `SELECT coalesce(max(rowid), 0) FROM ` + h.table }

func (h personTable) eraseRange() string {
	return `DELETE FROM ` + h.table + ` WHERE user = ? AND rowid > ? AND rowid <= ?`
}

// Count says how many rows of each table Erase would delete of a person. Tables without any are left out.
func (s People) Count(ctx context.Context, user string) (map[string]int64, error) {
	counts := map[string]int64{}
	for _, h := range personTables {
		n, _, err := engine.One(s.db.reader(ctx), engine.Integer, h.countQuery(), user)
		if err != nil {
			return nil, wrap(err, "count what %s has in %s", user, h.table)
		}
		if n > 0 {
			counts[h.table] = n
		}
	}
	return counts, nil
}

// countQuery is the statement; a table's name is one of holdings.
func (h personTable) countQuery() string {
	return `SELECT count(*) FROM ` + h.table + ` WHERE ` + cmp.Or(h.userColumn, "user") + ` = ?`
}
