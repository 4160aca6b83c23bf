package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"mews/supervisor/admin"
)

func TestAnAuditRowCannotMoveTheCursor(t *testing.T) {
	var out bytes.Buffer
	rows := []admin.AuditLine{{ID: 1, User: "a\x1bb", Action: "x\ny", Detail: "it's \x1b[31mred\u202e, \u00e9", CreatedAt: time.Now()}}
	if err := printAudit(&out, rows, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`a\x1bb`, `x\ny`, `it's \x1b[31mred\u202e, ` + "\u00e9\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
}

func TestSinceWhen(t *testing.T) {
	now := time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"": "0001-01-01T00:00:00Z", "24h": "2026-11-21T09:30:00Z", "7d": "2026-11-15T09:30:00Z", "90m": "2026-11-22T08:00:00Z",
		"2026-11-01": "2026-11-01T00:00:00Z", "2026-11-01 12:30": "2026-11-01T12:30:00Z", "2026-11-01T01:00:00+01:00": "2026-11-01T01:00:00+01:00",
		"-1h": "", "soon": "", "99999d": "",
	} {
		got, err := sinceWhen(text, now)
		if want == "" && err == nil || want != "" && (err != nil || got.Format(time.RFC3339) != want) {
			t.Errorf("%q is %s, %v, want %q", text, got.Format(time.RFC3339), err, want)
		}
	}
}

func TestAWholeLogSaysWhatItDoesNotShow(t *testing.T) {
	for r, want := range map[admin.AuditReport]string{{Rows: 3, Head: "ab"}: "3 rows, each fits the one before it\nhead  ab\n",
		{Rows: 3, Early: 1, Head: "ab"}: "1 row is from before there were digests"} {
		if got := auditReportText(r); !strings.Contains(got, want) || !strings.Contains(got, "--head") {
			t.Errorf("%+v: %q", r, got)
		}
	}
}
