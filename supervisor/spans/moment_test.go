package spans_test

import (
	"testing"
	"time"

	"mews/supervisor/spans"
)

func TestParseMoment_Forms_GiveMoments(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 30, 13, 19, 0, 0, zone) // on the day before, the clocks went forward
	for text, want := range map[string]string{
		"yesterday 9:00":       "2026-03-29T09:00:59+02:00",
		"Yesterday  09:00":     "2026-03-29T09:00:59+02:00",
		"yesterday 1:30":       "2026-03-29T01:30:59+01:00",
		"9:00":                 "2026-03-30T09:00:59+02:00",
		"9.05":                 "2026-03-30T09:05:59+02:00",
		"today 13:19":          "2026-03-30T13:19:00+02:00",
		"2026-02-28 23:59":     "2026-02-28T23:59:59+01:00",
		"2026-02-28T23:59":     "2026-02-28T23:59:59+01:00",
		"2026-03-29T23:00:00Z": "2026-03-29T23:00:00Z",
		"2h":                   "2026-03-30T11:19:00+02:00",
		"last 2 hours":         "2026-03-30T11:19:00+02:00",
		"2 hours ago":          "2026-03-30T11:19:00+02:00",
		"30m":                  "2026-03-30T12:49:00+02:00",
		"3 days ago":           "2026-03-27T13:19:00+01:00",
		"1w ago":               "2026-03-23T13:19:00+01:00",
		"yesterday":            "2026-03-30T00:00:00+02:00",
		"2026-02-27":           "2026-02-28T00:00:00+01:00",
		"today":                "2026-03-30T13:19:00+02:00",
		"2026":                 "2026-03-30T13:19:00+02:00",
		"2026-01":              "2026-02-01T00:00:00+01:00",
		"last week":            "2026-03-30T00:00:00+02:00",
		"last hour":            "2026-03-30T12:19:00+02:00",
		"13:20":                "", "tomorrow": "", "2026-04-01": "", "2026-04-01 9:00": "", "": "", "x 9:00": "",
		"25:00": "",
		"9:60":  "", "2026-02-30": "", "yesterday..today": "", "2026-02 9:00": "", "last week 9:00": "", "ago": "",
		"0x ago": "",
	} {
		at, err := spans.ParseMoment(text, now)
		if got := at.Format(time.RFC3339); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q is %s (%v), want %s", text, got, err, want)
		}
	}
}
