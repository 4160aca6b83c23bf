package sqlite

import (
	"strings"
	"testing"
)

// The query before each model call reads only indexes, and only rows since the limit's start. The
// few leases of running calls are read from any time.
func TestTakeLease_QueryPlan_ReadsOnlyIndexes(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	for name, query := range map[string]string{"measureTurn": sumTurn, "measureFire": sumFire, "measureDay": sumDay,
		"measureMonth": sumMonth,
		"measureAll":   sumOfAll, "measurePot": sumPot, "measureRequested": sumRequested, "sumExtended": sumExtended,
		"sumHeld": sumHeld, "countGrants": countGrants, "findAsked": findAsked,
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
