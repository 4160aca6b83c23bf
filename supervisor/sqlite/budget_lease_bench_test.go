package sqlite_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// fillMonth inserts the model calls of two users in a month, 50,000 each.
const fillMonth = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
	INSERT INTO usage (user, conversation, turn, spec, model, purpose, input, output, cache_read, cache_write, cost, request,
	created_at) SELECT iif(i % 2, 'alice', 'bob'), NULL, NULL, 'a/b', 'b', 'chat', 9000, 300, 8000, 100, 1000 + i % 777, 'req',
	?1 + i * 20000 FROM n`

// BenchmarkTakeLease takes and returns a lease. The month has 50,000 calls of the user and 50,000
// calls of another user. Cases with only the turn's limit, or with no limit, show the cost of a
// long month.
func BenchmarkTakeLease(b *testing.B) {
	path := filepath.Join(b.TempDir(), "mews.db")
	db := sqlitetest.OpenPath(b, path, sqlite.Options{})
	in, _, err := db.Inbox().StoreInbound(b.Context(), supervisor.Inbound{Source: "terminal", Key: "1",
		Kind: supervisor.KindText,
		Text: "hi", Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTerminal}})
	if err != nil {
		b.Fatal(err)
	}
	turn, _, err := db.Turns().Start(b.Context(), in.ID, nil)
	if err != nil {
		b.Fatal(err)
	}
	month := time.Now().Add(-24 * 24 * time.Hour)
	sqlitetest.ExecStatements(b, db, strings.ReplaceAll(fillMonth, "?1", fmt.Sprint(month.UnixMilli())))
	of := supervisor.SpendingLimit{Scope: supervisor.ScopeTurn, Max: 1 << 40}
	day := supervisor.SpendingLimit{Scope: supervisor.ScopeDay, Max: 1 << 40, Since: time.Now().Add(-12 * time.Hour)}
	for _, c := range []struct {
		name   string
		limits []supervisor.SpendingLimit
	}{
		{"none", nil},
		{"turn", []supervisor.SpendingLimit{of}},
		{"turn,day,month", []supervisor.SpendingLimit{of, day, {Scope: supervisor.ScopeMonth, Max: 1 << 40,
			Since: month}}},
		{"installation", []supervisor.SpendingLimit{{Scope: supervisor.ScopeInstallation, Max: 1 << 40, Since: month}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				lease, _, err := db.Leases().TakeLease(b.Context(), supervisor.LeaseRequest{User: "alice",
					Turn: turn.ID, Spec: "a/b",
					Conversation: turn.Conversation.ID, Amount: 1, Limits: c.limits})
				if err != nil || lease.ID == 0 {
					b.Fatal(lease, err)
				}
				if err := db.Leases().ReturnLease(b.Context(), lease.ID); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
