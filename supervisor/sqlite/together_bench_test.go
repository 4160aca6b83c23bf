package sqlite_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"mews/supervisor"
	"mews/supervisor/sqlite/sqlitetest"
)

// BenchmarkConcurrentTurns runs the turn of BenchmarkTurn for fifty users at once. The turns read
// about as often as they write.
func BenchmarkConcurrentTurns(b *testing.B) {
	db := sqlitetest.Open(b)
	var group sync.WaitGroup
	for w := range 50 {
		group.Go(func() {
			c := supervisor.Conversation{User: fmt.Sprint("u", w), Channel: "terminal"}
			for n := w; n < b.N; n += 50 {
				if err := oneTurn(b, db, c, strconv.Itoa(n)); err != nil {
					b.Error(err)
					return
				}
				for range 20 {
					if _, _, err := db.Inbox().NextInbound(b.Context(), int64(w+1)); err != nil {
						b.Error(err)
						return
					}
				}
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
}
