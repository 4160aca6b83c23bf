package dailylog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker/dailylog"
	"mews/worker/workspace"
)

func TestForgetTurns_DeletesOnlyTheirExchanges(t *testing.T) {
	dir := t.TempDir()
	ws, err := workspace.Open(dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	l := &dailylog.Log{Files: ws, Zone: time.UTC}
	of := protocol.TurnDataQuery{Turns: []int64{7, 99}, From: "2026-11-18", To: "2026-11-20"}
	if n, err := l.ForgetTurns(t.Context(), of, true); n != 0 || err != nil {
		t.Fatalf("without a log: %d, %v", n, err)
	}
	for _, turn := range []int64{6, 7, 8} {
		p := exchange()
		p.Turn = turn
		if err := l.AddExchange(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(dir, dailylog.LogsFolder, "2026-11-19.md")
	for _, c := range []struct {
		gone    bool
		n, left int
	}{{false, 1, 3}, {true, 1, 2}, {true, 0, 2}} {
		n, err := l.ForgetTurns(t.Context(), of, c.gone)
		text, _ := os.ReadFile(name)
		if err != nil || n != c.n || strings.Count(string(text), "\n## ")+1 != c.left {
			t.Errorf("got %d, %v:\n%s", n, err, text)
		}
	}
	if text, _ := os.ReadFile(name); strings.Contains(string(text), dailylog.TurnMark(7)) ||
		!strings.Contains(string(text), dailylog.TurnMark(6)) || !strings.Contains(string(text), dailylog.TurnMark(8)) {
		t.Errorf("left is\n%s", text)
	}
}
