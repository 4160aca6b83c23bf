package filehistory

import (
	"testing"
	"time"
)

func TestParseRequest_Forms_GivePathAndMoment(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"":                                   ". -",
		"notes.md":                           "notes.md -",
		" ./notes/ ":                         "notes -",
		"my notes.md":                        "my notes.md -",
		"`my notes.md`":                      "my notes.md -",
		"“my notes.md”":                      "my notes.md -",
		`"a`:                                 `"a -`,
		"/home/notes.md":                     "notes.md -",
		"~/notes":                            "notes -",
		"/home":                              ". -",
		"/homework":                          "error",
		"/etc/passwd":                        "error",
		"../x":                               "error",
		"a/../../x":                          "error",
		`--at "yesterday 9:00"`:              ". 2026-11-29T09:00:59Z",
		`--at “yesterday 9:00” notes/`:       "notes 2026-11-29T09:00:59Z",
		"—at yesterday 9:00 notes":           "notes 2026-11-29T09:00:59Z",
		"--at yesterday 9:00":                ". 2026-11-29T09:00:59Z",
		"--at 2h my notes.md":                "my notes.md 2026-11-30T10:00:00Z",
		"my notes.md --at 2h":                "my notes.md 2026-11-30T10:00:00Z",
		"notes.md --at 'yesterday 9:00'":     "notes.md 2026-11-29T09:00:59Z",
		"--at 3 days ago":                    ". 2026-11-27T12:00:00Z",
		"--at 9:00 a  b":                     "a  b 2026-11-30T09:00:59Z",
		"--at yesterday it’s":                "it’s 2026-11-30T00:00:00Z",
		"a --at 2h b":                        "error",
		`--at="yesterday 9:00" notes`:        "notes 2026-11-29T09:00:59Z",
		"--at=2h notes":                      "notes 2026-11-30T10:00:00Z",
		"notes.md\n--at\n2h":                 "notes.md 2026-11-30T10:00:00Z",
		"--at „2h“ Anna’s a—at.md":           "Anna’s a—at.md 2026-11-30T10:00:00Z",
		"--at ‘2h’ b":                        "b 2026-11-30T10:00:00Z",
		"--at 2h 25.md":                      "25.md 2026-11-30T10:00:00Z",
		"--at yesterday 25:00":               "error",
		"--at yesterday 9":                   "error",
		"--at yesterday at 9:00":             "error",
		"--at yesterday 9am notes.md":        "error",
		"--at gestern 9":                     "error",
		"--at":                               "error",
		"--at tomorrow":                      "error",
		`--at "yesterday`:                    "error",
		"--at 23:00":                         "error",
		"data--at":                           "data--at -",
		"--at 2026-11-20 reports/2026-11-20": "reports/2026-11-20 2026-11-21T00:00:00Z",
	} {
		r, err := parseRequest(text, now)
		got := r.path + " " + r.at.Format(time.RFC3339)
		if r.at.IsZero() {
			got = r.path + " -"
		}
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
}
