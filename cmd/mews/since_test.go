package main

import (
	"testing"
	"time"
)

func TestParseSince_PeriodsAndDates_AreRead(t *testing.T) {
	now := time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"": "0001-01-01T00:00:00Z", "24h": "2026-11-21T09:30:00Z", "7d": "2026-11-16T00:00:00Z",
		"90m":        "2026-11-22T08:00:00Z",
		"2026-11-01": "2026-11-01T00:00:00Z", "2026-11-01 12:30": "2026-11-01T12:30:00Z", "2026-11-01T01:00:00+01:00": "2026-11-01T01:00:00+01:00",
		"yesterday": "2026-11-21T00:00:00Z", "last hour": "2026-11-22T08:30:00Z",
		"last month": "2026-10-01T00:00:00Z", "..yesterday": "", "..": "",
		"-1h": "", "soon": "", "99999d": "",
	} {
		got, err := parseSince(text, now)
		if want == "" && err == nil || want != "" && (err != nil || got.Format(time.RFC3339) != want) {
			t.Errorf("%q is %s, %v, want %q", text, got.Format(time.RFC3339), err, want)
		}
	}
}
