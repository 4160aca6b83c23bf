package sqlite

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// If too much is written during the slow copying, a faster one follows.
func TestBackUp_ManyWrites_TriesAgain(t *testing.T) {
	former := maxBackupJournal
	maxBackupJournal = 1 << 20
	t.Cleanup(func() { maxBackupJournal = former })
	dir := t.TempDir()
	db, err := Open(t.Context(), filepath.Join(dir, "mews.db"), Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- db.Run(ctx) }() // the code below waits for this goroutine
	written := byte('a')               // SQLite writes no page that stays the same
	write := func() {
		written++
		if err := db.Settings().Put(t.Context(), "ann", "note", strings.Repeat(string(written), 2<<20)); err != nil {
			t.Error(err)
		}
	}
	for name, writes := range map[string]int{"once": 1, "always": 1000} {
		left := writes
		schema, _, err := db.BackUp(t.Context(), filepath.Join(dir, name), func(_, _ int64) {
			if left--; left >= 0 {
				write()
			}
		})
		if (err == nil) != (writes == 1) || err == nil && schema == 0 {
			t.Errorf("%s: schema %d, %v", name, schema, err)
		}
		if tried := writes - left; writes > 1 && tried != 2 {
			t.Errorf("%s: %d tries", name, tried)
		}
	}
	stop()
	if err := <-ran; err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
