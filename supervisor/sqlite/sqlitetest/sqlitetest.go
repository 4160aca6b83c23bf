// Package sqlitetest gives tests a real database of their own.
package sqlitetest

import (
	"context"
	"path/filepath"
	"testing"

	"mews/supervisor/sqlite"
)

// Open opens a database in a folder that goes with the test, and runs it until the test ends.
func Open(t testing.TB) *sqlite.DB {
	t.Helper()
	return OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{})
}

// OpenPath opens the database at path and runs it until the test ends.
func OpenPath(t testing.TB, path string, o sqlite.Options) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ran := make(chan error, 1)
	go func() { ran <- db.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
