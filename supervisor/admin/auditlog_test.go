package admin

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor/sqlite"
)

func TestAuditLine_Text_PrintsNoControlCharacters(t *testing.T) {
	line := AuditLine{
		ID:        1,
		User:      "a\x1bb",
		Action:    "x\ny",
		Detail:    "it's \x1b[31mred\u202e, \u00e9",
		CreatedAt: time.Now(),
	}.Text() + "\n"
	for _, want := range []string{`a\x1bb`, `x\ny`, `it's \x1b[31mred\u202e, ` + "\u00e9\n"} {
		if !strings.Contains(line, want) {
			t.Errorf("%q is not in %q", want, line)
		}
	}
}

func TestAuditReport_IntactLog_MentionsHeadFlag(t *testing.T) {
	for r, want := range map[AuditReport]string{{Rows: 3, Head: "ab"}: "3 rows, each matches the row before it\nhead " +
		" ab\n",
		{Rows: 3, Early: 1, Head: "ab"}: "1 row is without a digest: written by an old version of Mews, or changed " +
			"to"} {
		if got := r.Text(); !strings.Contains(got, want) || !strings.Contains(got, "--head") {
			t.Errorf("%+v: %q", r, got)
		}
	}
}

func TestAuditFault_EachFault_HasASentence(t *testing.T) {
	for want, r := range map[string]sqlite.AuditReport{
		"":                                  {},
		"The rows from 3 to 4 are missing.": {Why: sqlite.AuditRowsMissing, Broken: 5, MissingFrom: 3, MissingTo: 4},
		"The rows from 5 to 6 are missing, at the log's end.": {Why: sqlite.AuditLastRowsMissing,
			Broken: 5, MissingFrom: 5, MissingTo: 6},
		"Row 4 has no digest: Mews did not write it.": {Why: sqlite.AuditRowWithoutDigest,
			Broken: 4},
		"The digest of row 3 does not fit: somebody changed this row or an earlier row.": {Why: sqlite.AuditRowChanged,
			Broken: 3},
		"The log ends before the head that you gave: rows are missing at its end.": {Why: sqlite.AuditLogCutOff,
			Broken: 5},
	} {
		if got := auditFault(r); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
