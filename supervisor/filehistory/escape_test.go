package filehistory

import (
	"strings"
	"testing"

	"mews/protocol"
)

// Reasons from a worker can neither forge links nor move the cursor of a terminal.
func TestReasons_OfWorker_AreEscaped(t *testing.T) {
	const hostile = "x\x1b[2J [click](https://example.org)"
	r := newRig(t)
	r.worker.fails = hostile
	failed := r.ask("--at 2h").Text
	space := protocol.HistorySpace{Why: []protocol.NotKept{{Reason: hostile, Count: 1}}}
	for name, text := range map[string]string{"failed": failed, "baseline": notKeptText(space),
		"version": stateText(protocol.FileVersion{State: sha, NotKept: hostile})} {
		if strings.ContainsAny(text, "\x1b\n") ||
			strings.Contains(text, "[click]") && strings.Count(text, "`") != 2 {
			t.Errorf("%s: %q", name, text)
		}
	}
}
