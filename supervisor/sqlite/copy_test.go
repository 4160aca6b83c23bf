package sqlite_test

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// A copy is complete even if the service writes meanwhile and the journal restarts again and again.
func TestOpenCopy_BusyDatabase_IsComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mews.db")
	db := sqlitetest.OpenPath(t, path, sqlite.Options{})
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	for w := range 8 {
		writing.Go(func() {
			name := strconv.Itoa(w)
			for i := 0; ctx.Err() == nil; i++ {
				if err := db.Settings().Put(context.WithoutCancel(ctx), "alice", name, strings.Repeat(strconv.Itoa(i), 9000)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 20 {
		if verdict := sqlitetest.QueryColumnInCopy(t, path, "PRAGMA integrity_check"); len(verdict) != 1 ||
			verdict[0] != "ok" {
			t.Errorf("integrity_check: %q", verdict)
		}
	}
	stop()
	writing.Wait()
}
