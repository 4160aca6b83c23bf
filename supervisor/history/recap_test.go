package history_test

import (
	"fmt"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/history"
)

// TestFormatRecap_ManyMessages_IsBounded checks that a request stays below 40 KiB. It has the
// recap, the tools, and a system text of at most 23 KiB.
func TestFormatRecap_ManyMessages_IsBounded(t *testing.T) {
	var lines []supervisor.RecapLine
	for i := range 20 {
		lines = append(
			lines,
			supervisor.RecapLine{At: "now", Text: fmt.Sprint("number ", i, strings.Repeat("€", 1000))},
		)
	}
	got := history.FormatRecap(lines)
	if len(got) > 8<<10 || !strings.Contains(got, "number 19") || strings.Contains(got, "number 0") {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
	if whole := history.FormatRecap(lines[:4]); strings.Count(whole, "number") != 4 {
		t.Errorf("got %s", whole)
	}
}
