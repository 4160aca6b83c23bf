package app_test

import (
	"os"
	"testing"

	"mews/supervisor/app/apptest"
)

func TestMain(m *testing.M) {
	// it is the supervisor of a test that sets its clock
	if clock := os.Getenv(clockFile); clock != "" {
		os.Exit(serveByClock(clock))
	}
	apptest.Main(m)
}
