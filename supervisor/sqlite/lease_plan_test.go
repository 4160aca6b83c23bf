package sqlite

import (
	"database/sql"
	"strings"
	"testing"
)

// What comes before each call of a model reads no row of what was spent: only indexes, from where they begin to count. The
// leases themselves are as many as calls run.
func TestALeaseReadsOnlyIndexes(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	for name, query := range map[string]string{"measureTurn": measureTurn, "measureUser": measureUser,
		"measureAll": measureAll, "sumExtended": sumExtended, "countGrants": countGrants, "findAsked": findAsked,
		"findPressed": findPressed} {
		rows, err := r.db.readers.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, make([]any, holes(query))...)
		plan, err := all(rows, err, func(rows *sql.Rows) (detail string, err error) {
			var unused int
			err = rows.Scan(&unused, &unused, &unused, &detail)
			return detail, err
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, step := range plan {
			whole := strings.HasPrefix(step, "SCAN") && step != "SCAN lease" && step != "SCAN CONSTANT ROW"
			rowsToo := strings.Contains(step, "SEARCH usage") && !strings.Contains(step, "COVERING INDEX") ||
				strings.Contains(step, "SEARCH extension") && !strings.Contains(step, "COVERING INDEX") ||
				strings.Contains(step, "SEARCH spent") && !strings.Contains(step, "PRIMARY KEY")
			if whole || rowsToo || strings.Contains(step, "TEMP B-TREE") {
				t.Errorf("%s: %s", name, step)
			}
		}
	}
}

// holes is how many values a query takes.
func holes(query string) int {
	for n := 9; n > 0; n-- {
		if strings.Contains(query, "?"+string(rune('0'+n))) {
			return n
		}
	}
	return strings.Count(query, "?")
}
