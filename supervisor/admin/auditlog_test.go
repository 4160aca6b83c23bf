package admin

import (
	"strings"
	"testing"
	"time"
)

func TestAnAuditRowCannotMoveTheCursor(t *testing.T) {
	line := AuditLine{ID: 1, User: "a\x1bb", Action: "x\ny", Detail: "it's \x1b[31mred\u202e, \u00e9", CreatedAt: time.Now()}.Text() + "\n"
	for _, want := range []string{`a\x1bb`, `x\ny`, `it's \x1b[31mred\u202e, ` + "\u00e9\n"} {
		if !strings.Contains(line, want) {
			t.Errorf("%q is not in %q", want, line)
		}
	}
}

func TestAWholeLogSaysWhatItDoesNotShow(t *testing.T) {
	for r, want := range map[AuditReport]string{{Rows: 3, Head: "ab"}: "3 rows, each fits the one before it\nhead  ab\n",
		{Rows: 3, Early: 1, Head: "ab"}: "1 row is from before there were digests"} {
		if got := r.Text(); !strings.Contains(got, want) || !strings.Contains(got, "--head") {
			t.Errorf("%+v: %q", r, got)
		}
	}
}
