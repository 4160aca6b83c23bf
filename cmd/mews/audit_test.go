package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/sqlite"
)

func TestAnAuditRowCannotMoveTheCursor(t *testing.T) {
	var out bytes.Buffer
	rows := []auditLine{{ID: 1, User: "a\x1bb", Action: "x\ny", Detail: "it's \x1b[31mred\u202e, \u00e9", CreatedAt: time.Now()}}
	if err := printAudit(&out, rows, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`a\x1bb`, `x\ny`, `it's \x1b[31mred\u202e, ` + "\u00e9\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
}

func TestAWholeLogSaysWhatItDoesNotShow(t *testing.T) {
	for r, want := range map[auditReport]string{{Rows: 3, Head: "ab"}: "3 rows, each fits the one before it\nhead  ab\n",
		{Rows: 3, Early: 1, Head: "ab"}: "1 row is from before there were digests"} {
		if got := wholeLog(r); !strings.Contains(got, want) || !strings.Contains(got, "--head") {
			t.Errorf("%+v: %q", r, got)
		}
	}
}

func TestAFloodOfAuditRowsIsBoundedAndCounted(t *testing.T) {
	a := newAuditor(sqlite.Audit{}, hclog.NewNullLogger())
	for i := range 1500 {
		a.note("ann", "worker.offence", fmt.Sprint(i))
	}
	rows := a.take()
	if len(rows) != 1001 || rows[999].Detail != "999" {
		t.Fatalf("%d rows wait", len(rows))
	}
	want := sqlite.AuditRow{Action: "audit.dropped", Detail: "500 rows came faster than the disk took them"}
	if rows[1000] != want {
		t.Errorf("the last is %+v", rows[1000])
	}
	if a.note("ann", "worker.offence", "again"); len(a.take()) != 1 {
		t.Error("the count was kept twice")
	}
}
