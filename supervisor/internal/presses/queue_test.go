package presses_test

import (
	"testing"

	"mews/supervisor/internal/presses"
)

func TestQueued_Press_IsReadOrRefused(t *testing.T) {
	for press, want := range map[string]int64{"w:now 7": 7, "w:drop 12": 12, "w:now": 0, "w:now x": 0, "now 7": 0, "": 0} {
		if got, ok := presses.Queued(press); ok != (want != 0) || ok && got != want {
			t.Errorf("%q: got %d, %t, want %d", press, got, ok, want)
		}
	}
}
