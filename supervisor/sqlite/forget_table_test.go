package sqlite

import (
	"slices"
	"strings"
	"testing"
)

// worded lists the tables that may have words of a user. These are tables with text or bytes
// besides the user's name.
func (r *rig) worded() []string {
	r.Helper()
	return r.list(`SELECT DISTINCT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND c.type NOT IN ('INTEGER', 'REAL') AND c.name <> 'user'`)
}

// A new table with words of users needs a row in forgetTable. The row says how to forget the words,
// or why they stay.
func TestForgetTable_EveryDatabaseTable_HasRow(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	said := map[string]bool{}
	for _, row := range forgetTable {
		if said[row.table] {
			t.Errorf("%s is there twice", row.table)
		}
		said[row.table] = true
		if done := row.exchange != "" || row.span != ""; done == (row.reason != "") {
			t.Errorf("%s: statements: %t, why there are none: %q", row.table, done, row.reason)
		}
		for _, statement := range []string{row.exchange, row.span} {
			if statement != "" && !strings.Contains(statement, row.table) {
				t.Errorf("%s: %s", row.table, statement)
			}
		}
	}
	worded := r.worded()
	for _, table := range r.userTables() {
		if !said[table] && slices.Contains(worded, table) {
			t.Errorf("%s names a person: forgetTable must say what becomes of its rows when they have something forgotten", table)
		}
		delete(said, table)
	}
	delete(said, "repository_check")
	r.same("tables that name nobody", len(said), 0)
	for _, row := range forgetTable {
		if row.reason != "" && !slices.Contains(worded, row.table) {
			t.Errorf("%s has no words: delete its row", row.table)
		}
	}
}

// Only whole words are blanked: a short fact removes nothing from longer words.
func TestEraseWords_PartOfWord_IsKept(t *testing.T) {
	for text, want := range map[string]string{"tea": "···", "Tea, steam and tea tea": "···, steam and ··· ···", "tease": "tease",
		`{"a":["tea"],"b":"teas"}`: `{"a":["···"],"b":"teas"}`, "`tea`": "`···`"} {
		if got := blankText(text, matchAny([]string{"tea"})); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}
