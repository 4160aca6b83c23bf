package presses_test

import (
	"testing"

	"mews/supervisor/internal/presses"
)

func TestInboundOfQueuePress_BadPress_IsRefused(t *testing.T) {
	for press, want := range map[string]int64{"w:now 7": 7, "w:drop 12": 12, "w:now": 0, "w:now x": 0, "now 7": 0, "": 0} {
		if got, ok := presses.InboundOfQueuePress(press); ok != (want != 0) || ok && got != want {
			t.Errorf("%q: got %d, %t, want %d", press, got, ok, want)
		}
	}
}

func TestTurnOfUndoPress_BadPress_IsRefused(t *testing.T) {
	if turn, ok := presses.TurnOfUndoPress(presses.FormatUndoPress(presses.ActionDiff, 7, 3)); turn != 7 || !ok {
		t.Errorf("got %d, %t", turn, ok)
	}
	for _, press := range []string{"", "u:", "u:undo", "u:undo 7", "u:undo x 0", "w:undo 7 0"} {
		if turn, ok := presses.TurnOfUndoPress(press); ok {
			t.Errorf("%q is about %d", press, turn)
		}
	}
}
