package main_test

import (
	"slices"
	"strings"
	"testing"

	"mews/cmd/mews/manual"
	"mews/supervisor/alarm"
	"mews/supervisor/monitor"
)

// firstColumn returns the first cells of the rows of all tables of a page that begin with a prefix,
// without the marks of code.
func firstColumn(t *testing.T, name, prefix string) (cells []string) {
	t.Helper()
	page, ok := manual.FindPage(name)
	if !ok {
		t.Fatalf("there is no page %s", name)
	}
	for line := range strings.Lines(page.Text) {
		if rest, ok := strings.CutPrefix(line, "| `"); ok && strings.HasPrefix(rest, prefix) {
			cell, _, _ := strings.Cut(rest, "`")
			cells = append(cells, cell)
		}
	}
	return cells
}

// TestManual_Figures_AreAllThere: the page about figures has each figure of /metrics, with its
// label.
func TestManual_Figures_AreAllThere(t *testing.T) {
	var want []string
	for _, m := range monitor.Metrics() {
		name := m.Name
		if m.Label != "" {
			name += "{" + m.Label + "}"
		}
		want = append(want, name)
	}
	got := slices.DeleteFunc(firstColumn(t, "keeping-it-running", ""), func(cell string) bool {
		return strings.HasPrefix(cell, "mews ") || strings.HasPrefix(cell, "/")
	})
	if !slices.Equal(got, want) {
		t.Errorf("the manual has\n%q, and /metrics has\n%q", got, want)
	}
}

// TestManual_Alarms_AreAllThere: the page about alarms has each condition.
func TestManual_Alarms_AreAllThere(t *testing.T) {
	got := firstColumn(t, "alarms", "")
	for _, r := range alarm.Table() {
		if !slices.Contains(got, string(r.Name)) {
			t.Errorf("the manual has no alarm %s", r.Name)
		}
	}
}
