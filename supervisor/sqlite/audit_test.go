package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// auditStory is a story (a test database) with methods for the audit log.
type auditStory struct{ *story }

func newAuditStory(t *testing.T, rows int) auditStory {
	t.Helper()
	l := auditStory{newStory(t)}
	for n := range rows {
		l.must(l.db.Audit().Append(t.Context(), "alice", "login", fmt.Sprint("row ", n+1)))
	}
	return l
}

func (l auditStory) verify(known string) sqlite.AuditReport {
	l.Helper()
	report, err := l.db.Audit().Verify(l.Context(), known)
	l.must(err)
	return report
}

// changeBehind changes the database as another program would.
func (l auditStory) changeBehind(statements string) {
	l.Helper()
	sqlitetest.ExecStatements(l, l.db,
		"DROP TRIGGER IF EXISTS audit_is_not_changed; DROP TRIGGER IF EXISTS audit_is_not_deleted; "+statements)
}

// faultOf returns a report's fault, with the ids of the missing rows.
func faultOf(r sqlite.AuditReport) string {
	if r.MissingFrom == 0 {
		return string(r.Why)
	}
	return fmt.Sprintf("%s %d-%d", r.Why, r.MissingFrom, r.MissingTo)
}

func TestAuditVerify_ForgedRow_IsFound(t *testing.T) {
	for name, c := range map[string]struct {
		forge  string
		broken int64
		why    string
	}{
		"nothing":                     {"", 0, ""},
		"another user":                {"UPDATE audit SET user = 'bob' WHERE id = 3", 3, "changed"},
		"another action":              {"UPDATE audit SET action = 'logout' WHERE id = 3", 3, "changed"},
		"another detail":              {"UPDATE audit SET detail = '' WHERE id = 3", 3, "changed"},
		"replaced detail":             {"UPDATE audit SET detail = 'row 9' WHERE id = 3", 3, "changed"},
		"another time":                {"UPDATE audit SET created_at = created_at + 1 WHERE id = 1", 1, "changed"},
		"text moved between columns":  {"UPDATE audit SET action = 'loginr', detail = 'ow 3' WHERE id = 3", 3, "changed"},
		"another digest":              {"UPDATE audit SET chain = zeroblob(32) WHERE id = 4", 4, "changed"},
		"no digest":                   {"UPDATE audit SET chain = NULL WHERE id = 4", 4, "no_digest"},
		"deleted row":                 {"DELETE FROM audit WHERE id = 3", 4, "missing 3-3"},
		"deleted first rows":          {"DELETE FROM audit WHERE id <= 2", 3, "missing 1-2"},
		"deleted row with closed gap": {"DELETE FROM audit WHERE id = 3; UPDATE audit SET id = id - 1 WHERE id > 3", 3, "changed"},
		"inserted row": {"UPDATE audit SET id = -id WHERE id > 3; UPDATE audit SET id = 1 - id WHERE id < 0; INSERT INTO audit " +
			"SELECT 4, user, action, detail, created_at, chain FROM audit WHERE id = 3", 4, "changed"},
		"swapped rows": {"UPDATE audit SET id = -2 WHERE id = 2; UPDATE audit SET id = 2 WHERE id = 3; " +
			"UPDATE audit SET id = 3 WHERE id = -2", 2, "changed"},
		"all rows deleted": {"DELETE FROM audit", 1, "missing_at_end 1-5"},
		"deleted last row": {"DELETE FROM audit WHERE id = 5", 5, "missing_at_end 5-5"},
		"added row":        {"INSERT INTO audit (user, action, detail, created_at) VALUES ('', 'x', '', 1)", 6, "no_digest"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newAuditStory(t, 5)
			l.changeBehind(c.forge)
			report := l.verify("")
			if report.Broken != c.broken || faultOf(report) != c.why {
				t.Errorf("found %+v, want row %d: %s", report, c.broken, c.why)
			}
		})
	}
}

func TestAuditVerify_MissingEnd_IsFound(t *testing.T) {
	l := newAuditStory(t, 5)
	whole := l.verify("")
	l.same("rows", []int64{whole.Rows, whole.First, whole.Last, whole.Broken}, []int64{5, 1, 5, 0})
	l.must(l.db.Audit().Append(t.Context(), "", "more", ""))
	l.same("past a head that is known", l.verify(whole.Head).Broken, int64(0))
	l.changeBehind("DELETE FROM audit WHERE id >= 5")
	l.same("nothing is known", faultOf(l.verify("")), "missing_at_end 5-6")
	l.changeBehind("UPDATE sqlite_sequence SET seq = 4 WHERE name = 'audit'")
	l.same("nor which ids were given", l.verify("").Broken, int64(0))
	l.same("the head is known", faultOf(l.verify(whole.Head)), "cut_off")
	l.changeBehind("UPDATE sqlite_sequence SET seq = 6 WHERE name = 'audit'")
	l.must(l.db.Audit().Append(t.Context(), "", "later", ""))
	l.same("something came after it", faultOf(l.verify("")), "missing 5-6")
}

func TestAuditVerify_EmptyLog_HasNoFault(t *testing.T) {
	l := newAuditStory(t, 0)
	empty := l.verify("")
	l.same("broken", empty.Broken+empty.Rows, int64(0))
	l.must(l.db.Audit().Append(t.Context(), "", "first", ""))
	l.same("since then", l.verify(empty.Head).Broken, int64(0))
}

func TestAuditVerify_RowsBeforeDigests_AreCovered(t *testing.T) {
	l := newAuditStory(t, 0)
	l.changeBehind(`INSERT INTO audit (user, action, detail, created_at) VALUES ('alice', 'old', 'a', 1), ('bob', 'old', 'b', 2)`)
	early := l.verify("")
	l.same("early", []int64{early.Rows, early.Early, early.Broken}, []int64{2, 2, 0})
	var rows []sqlite.AuditEntry
	for n := range 2500 { // more rows than Verify reads in two pages
		rows = append(rows, sqlite.AuditEntry{User: "alice", Action: "new", Detail: fmt.Sprint(n)})
	}
	l.must(l.db.Audit().AppendAll(t.Context(), rows))
	late := l.verify(early.Head)
	l.same("late", []int64{late.Rows, late.Early, late.Last, late.Broken}, []int64{2502, 2, 2502, 0})
	l.changeBehind("UPDATE audit SET detail = 'c' WHERE id = 1")
	l.same("an early row was changed", l.verify("").Broken, int64(3))
	l.changeBehind("UPDATE audit SET chain = NULL WHERE id <= 3")
	l.same("one more without a digest", l.verify("").Broken, int64(4))
	l.changeBehind("UPDATE audit SET user = 'bob', chain = NULL")
	l.same("written anew", l.verify("").Early, int64(2502))
	l.same("with a head that is known", l.verify(late.Head).Broken, int64(2503))
}

func TestAuditAppendAll_InvalidEntry_StoresNone(t *testing.T) {
	l := newAuditStory(t, 1)
	err := l.db.Audit().AppendAll(t.Context(), []sqlite.AuditEntry{{Action: "good"}, {Action: ""}})
	if err == nil {
		t.Error("an action without a name was kept")
	}
	l.same("rows", l.query("SELECT count(*) FROM audit"), "1")
	l.must(l.db.Audit().Append(t.Context(), "", "next", ""))
	l.same("broken", l.verify("").Broken, int64(0))
}

func TestAuditList_Filter_SelectsRows(t *testing.T) {
	l := newAuditStory(t, 2)
	l.now = noon.Add(time.Hour)
	l.must(l.db.Audit().AppendAll(t.Context(), []sqlite.AuditEntry{{User: "bob", Action: "login.refused", Detail: "d"},
		{Action: "start"},
		{User: "alice", Action: "Login"}}))
	for name, c := range map[string]struct {
		filter sqlite.AuditFilter
		want   string
	}{
		"all":              {sqlite.AuditFilter{}, "[1 2 3 4 5]"},
		"by user":          {sqlite.AuditFilter{User: "alice"}, "[1 2 5]"},
		"by action prefix": {sqlite.AuditFilter{Action: "login"}, "[1 2 3]"},
		"no wildcards":     {sqlite.AuditFilter{Action: "l%"}, "[]"},
		"since":            {sqlite.AuditFilter{Since: noon.Add(1)}, "[3 4 5]"},
		"until":            {sqlite.AuditFilter{Until: noon.Add(time.Hour)}, "[1 2]"},
		"a page":           {sqlite.AuditFilter{After: 1, Limit: 2}, "[2 3]"},
	} {
		list, err := l.db.Audit().List(t.Context(), c.filter)
		l.must(err)
		ids := []int64{}
		for _, r := range list {
			ids = append(ids, r.ID)
		}
		l.same(name, fmt.Sprint(ids), c.want)
	}
	list, err := l.db.Audit().List(t.Context(), sqlite.AuditFilter{After: 2, Limit: 1})
	l.must(err)
	l.same("a row", list, []sqlite.AuditEntry{{ID: 3, User: "bob", Action: "login.refused", Detail: "d",
		CreatedAt: l.now}})
}

// BenchmarkAuditAppend adds a row to an audit log of ten thousand rows.
func BenchmarkAuditAppend(b *testing.B) {
	db := sqlitetest.OpenPath(b, filepath.Join(b.TempDir(), "mews.db"), sqlite.Options{})
	if err := db.Audit().AppendAll(b.Context(), make10k()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := db.Audit().Append(b.Context(), "alice", "login", "in telegram chat 42"); err != nil {
			b.Fatal(err)
		}
	}
}

func make10k() (rows []sqlite.AuditEntry) {
	for range 10_000 {
		rows = append(rows, sqlite.AuditEntry{User: "alice", Action: "login", Detail: "in telegram chat 42"})
	}
	return rows
}
