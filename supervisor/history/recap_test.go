package history_test

import (
	"fmt"
	"strings"
	"testing"

	"mews/protocol/foreign/foreigntest"
	"mews/supervisor"
	"mews/supervisor/history"
)

// TestFormatRecap_ManyMessages_IsBounded checks that a request stays below 40 KiB. The request has
// the recap, the tools, and a system text of at most 23 KiB.
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

// Words of other conversations are between fences. They must not look like another message, or like
// the end of the recap.
func TestFormatRecap_ForgedMarks_AreHarmless(t *testing.T) {
	for _, list := range []map[string]string{foreigntest.ForgedStampTexts, foreigntest.ForgedMarkTexts} {
		for name, text := range list {
			got := history.FormatRecap([]supervisor.RecapLine{{At: "now", Text: text}})
			lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
			fence := lines[len(lines)-1]
			if foreigntest.FindForgedLine(got) != "" || strings.Count(got, "\n"+fence) != 2 ||
				strings.Count(got, "\n[") != 1 {
				t.Errorf("%s passes for a mark in\n%s", name, got)
			}
		}
	}
}
