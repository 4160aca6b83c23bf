package sqlite_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// copiedColumns lists the columns that differ in copy n of an exchange, by table.
var copiedColumns = []struct {
	table   string
	columns map[string]string
}{
	{"inbox", map[string]string{"id": "id + n", "key": "key || n", "turn": "turn + n"}},
	{"turn", map[string]string{"id": "id + n", "inbound": "inbound + n"}},
	{"message", map[string]string{"id": "id + 2 * n", "turn": "turn + n"}},
	{"outbox", map[string]string{"id": "id + n", "inbound": "inbound + n", "turn": "turn + n"}},
}

// databaseWithTalk makes a database with a number of exchanges of alice. Each exchange has two
// messages.
func databaseWithTalk(b *testing.B, exchanges int) *sqlite.DB {
	db := sqlitetest.OpenPath(b, filepath.Join(b.TempDir(), "mews.db"), sqlite.Options{})
	if err := oneTurn(b, db, supervisor.Conversation{User: "alice", Channel: "terminal"}, "k"); err != nil {
		b.Fatal(err)
	}
	for _, c := range copiedColumns {
		names := sqlitetest.QueryColumn(b, db, "SELECT name FROM pragma_table_info(?)", c.table)
		values := slices.Clone(names)
		for i, name := range names {
			if value := c.columns[name]; value != "" {
				values[i] = value
			}
		}
		sqlitetest.ExecStatements(b, db, fmt.Sprintf(`WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < %d)
			INSERT INTO %s (%s) SELECT %s FROM %[2]s, copy`, exchanges-1, c.table, strings.Join(names, ", "), strings.Join(values, ", ")))
	}
	return db
}

// BenchmarkForgetMessages forgets 100,000 messages of alice while bob writes all the time. It
// measures the total time, and how long bob waits for a commit.
func BenchmarkForgetMessages(b *testing.B) {
	const exchanges = 50_000
	for range b.N {
		b.StopTimer()
		db := databaseWithTalk(b, exchanges)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		b.StartTimer()
		f, err := db.ForgetRequestStore().Put(b.Context(), supervisor.ForgetRequest{User: "alice", Inbound: exchanges +
			1,
			Since: time.Unix(0, 0), Until: time.Now().Add(time.Hour)})
		if err != nil {
			b.Fatal(err)
		}
		var piece supervisor.ForgetStepResult
		forgotten := make(chan error, 1)
		go func() {
			var err error
			if piece, err = db.ForgetRequestStore().ForgetNextPart(b.Context(), f); err == nil {
				err = db.ForgetRequestStore().PutProgress(b.Context(), piece.ForgetRequest)
			}
			forgotten <- err
		}()
		var waits []time.Duration
		for busy := true; busy; {
			began := time.Now()
			if _, _, err := db.Inbox().StoreInbound(b.Context(), supervisor.Inbound{Source: "terminal",
				Kind: supervisor.KindText, Text: "hello", Key: strconv.Itoa(len(waits)),
				Conversation: supervisor.Conversation{User: "bob", Channel: "terminal"}}); err != nil {
				b.Fatal(err)
			}
			waits = append(waits, time.Since(began))
			select {
			case err := <-forgotten:
				if busy = false; err != nil || len(piece.Messages) != 2*exchanges {
					b.Fatal(len(piece.Messages), err)
				}
			default:
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		slices.Sort(waits)
		b.ReportMetric(waits[len(waits)/2].Seconds()*1000, "ms-wait-p50")
		b.ReportMetric(waits[len(waits)*99/100].Seconds()*1000, "ms-wait-p99")
		b.ReportMetric(waits[len(waits)-1].Seconds()*1000, "ms-wait-max")
		b.ReportMetric(float64(int64(after.HeapSys)-int64(before.HeapSys))/1024, "KB-heap")
	}
}
