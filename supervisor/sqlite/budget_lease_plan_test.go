package sqlite

import (
	"strings"
	"testing"
)

// What comes before each call of a model reads no row of what was spent: only indexes, from where
// they begin to count. The leases themselves are as many as calls run.
func TestALeaseReadsOnlyIndexes(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	for name, query := range map[string]string{"measureTurn": measureTurn, "measureFire": measureFire, "measureUser": measureUser,
		"measureAll": measureAll, "measurePot": measurePot, "sumExtended": sumExtended, "sumHeld": sumHeld, "countGrants": countGrants, "findAsked": findAsked,
		"findPressed": findPressed} {
		for _, step := range r.plan(query) {
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
