package presses_test

import (
	"strings"
	"testing"

	"mews/supervisor/internal/presses"
)

func TestParseFileHistoryPress_Formatted_IsSame(t *testing.T) {
	for _, p := range []presses.FileHistoryPress{{Action: "leave"},
		{Action: "undo", First: 3, Second: 4, Nonce: "9f3a"}} {
		text := strings.TrimPrefix(p.String(), presses.FileHistoryPrefix)
		if got, ok := presses.ParseFileHistoryPress(text); !ok || got != p {
			t.Errorf("%q: got %+v, %t", text, got, ok)
		}
	}
}

func TestParseFileHistoryPress_Forged_IsRefused(t *testing.T) {
	for _, text := range []string{"", "undo", "undo 1", "undo -1 2", "undo 1 -2", "undo 1 x", "undo 1 2 nonce",
		"undo 1 2 0123456789abcdef0"} {
		if got, ok := presses.ParseFileHistoryPress(text); ok {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}
