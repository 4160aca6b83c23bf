package main_test

import (
	"testing"

	"mews/cmd/mews/stopsignal"
	"mews/supervisor/app/apptest"
)

func TestMain(m *testing.M) {
	stopsignal.RestoreDefault() // so that a signal ends the tests
	apptest.Main(m)
}
