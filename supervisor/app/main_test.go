package app_test

import (
	"os"
	"testing"

	"mews/supervisor/app/apptest"
)

func TestMain(m *testing.M) {
	// with this variable, the process is the supervisor of a clockedService
	if clock := os.Getenv(clockFile); clock != "" {
		os.Exit(serveByClock(clock))
	}
	apptest.Main(m)
}
