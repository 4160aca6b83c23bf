package placement

import (
	"testing"

	"mews/protocol"
)

// TestSelfTest_NoEscape_SuggestsNoWeakerWalls: only an escape is a reason to suggest weaker walls.
func TestSelfTest_NoEscape_SuggestsNoWeakerWalls(t *testing.T) {
	escaped := protocol.EscapeReport{Row: "F2", Outcome: protocol.EscapeSucceeded}
	full := protocol.EscapeReport{Row: "F10", Outcome: protocol.EscapeUntried,
		Detail: "write x: no space left on device (ENOSPC)"}
	quota := protocol.EscapeReport{Row: "F10", Outcome: protocol.EscapeUntried,
		Detail: "write x: disk quota exceeded (EDQUOT)"}
	slow := protocol.EscapeReport{Row: "R2", Outcome: protocol.EscapeUntried, Detail: "context deadline exceeded"}
	for _, c := range []struct {
		holes []protocol.EscapeReport
		want  string
	}{
		{[]protocol.EscapeReport{escaped}, textHoles},
		{[]protocol.EscapeReport{full, escaped}, textHoles},
		{[]protocol.EscapeReport{full}, textUntriedFull},
		{[]protocol.EscapeReport{slow, quota}, textUntriedFull},
		{[]protocol.EscapeReport{slow}, textUntried},
	} {
		if got := holesText(c.holes); got != c.want {
			t.Errorf("%+v: %q", c.holes, got)
		}
	}
}
