package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"mews/supervisor/internal/engine"
	"mews/supervisor/internal/engine/enginetest"
	"mews/supervisor/sqlite"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(crashPath); path != "" {
		os.Exit(writeUntilKilled(path))
	}
	goleak.VerifyTestMain(
		enginetest.CheckQueryPlans(m, enginetest.Options{Package: "mews/supervisor/sqlite",
			HelperFiles: []string{"tx.go"},
			Open:        withEmpty, Fault: sqlite.QueryPlanFault, Least: 500}),
	)
}

// withEmpty calls use with an empty database.
func withEmpty(use func(*engine.DB)) error {
	dir, err := os.MkdirTemp("", "mews-plans-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := sqlite.Open(context.Background(), filepath.Join(dir, "mews.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	db.WithEngine(use)
	return db.Close()
}
