package search_test

import (
	"testing"
	"time"

	"mews/supervisor/search"
)

func TestParseLeadingSpan_CutsSpanFromWords(t *testing.T) {
	now := time.Date(2026, 3, 30, 13, 19, 0, 0, time.UTC)
	s := search.New(search.Options{Zone: func(string) *time.Location { return time.UTC },
		Now: func() time.Time { return now }})
	for text, want := range map[string]string{"last hour green tea": "12:19 green tea", "today tea": "00:00 tea", "2026-03-30 13:05": "13:05 ",
		"last week": "00:00 ", "last 2 hours tea": "11:19 tea", "1h": "12:19 ", "last tea": " last tea", "": " "} {
		span, words := s.ParseLeadingSpan(text, "alice")
		begins := ""
		if !span.From.IsZero() {
			begins = span.From.Format("15:04")
		}
		if got := begins + " " + words; got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
