package filehistory

import (
	"strings"
	"testing"
	"time"
)

// TestParseTime_Forms_UseUsersZone: a time without a zone is in the user's zone. A minute counts to
// its end.
func TestParseTime_Forms_UseUsersZone(t *testing.T) {
	madrid, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"2026-11-29 09:00":          "2026-11-29T08:00:59.999999999Z",
		"2026-11-29T09:00":          "2026-11-29T08:00:59.999999999Z",
		"2026-11-29 09:00:30":       "2026-11-29T08:00:30Z",
		"2026-11-29T09:00:30":       "2026-11-29T08:00:30Z",
		"2026-11-29T09:00:30Z":      "2026-11-29T09:00:30Z",
		"2026-11-29T09:00:30+05:30": "2026-11-29T03:30:30Z",
		"2026-07-01 09:00":          "2026-07-01T07:00:59.999999999Z",
		"2026-11-29":                "2026-11-29T22:59:59.999999999Z",
		"yesterday":                 "",
		"2026-13-01 09:00":          "",
		"09:00":                     "",
		"":                          "",
	} {
		at, err := parseTime(text, madrid)
		if want == "" && (err == nil || !strings.Contains(err.Error(), "want a time such as")) || want != "" &&
			(err != nil || at.UTC().Format(time.RFC3339Nano) != want) {
			t.Errorf("%q: got %s, %v, want %s", text, at, err, want)
		}
	}
}
