package sqlite_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(crashPath); path != "" {
		os.Exit(writeUntilKilled(path))
	}
	goleak.VerifyTestMain(m)
}
