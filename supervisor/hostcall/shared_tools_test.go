package hostcall

import (
	"fmt"
	"runtime"
	"testing"

	"mews/protocol"
)

// TestToolTables_EqualLists_AreShared: equal lists of several workers share a table until no
// worker has it. If requests choose different tools of a list, the table keeps each choice.
func TestToolTables_EqualLists_AreShared(t *testing.T) {
	var s sharedTools
	list := func() []protocol.Tool { return []protocol.Tool{{Name: "get_time"}, {Name: "list_files"}} }
	a, b := s.table(list(), "1"), s.table(list(), "1")
	other := s.table(list()[:1], "2")
	if a != b || a == other || len(a.byName) != 2 || len(other.byName) != 1 {
		t.Errorf("tables %v, %v and %v", a, b, other)
	}
	first := a.shareChoice("x", list())
	if again := a.shareChoice("x", list()); &again[0] != &first[0] {
		t.Error("an equal choice is another list")
	}
	for i := range 2 * maxChoices {
		hash := fmt.Sprint(i)
		if got := a.shareChoice(hash, list()[:1]); len(got) != 1 {
			t.Errorf("choice %d has %d tools", i, len(got))
		}
	}
	if len(a.choices) > maxChoices {
		t.Errorf("%d choices are kept, at most %d", len(a.choices), maxChoices)
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(other)
	a, b, other = nil, nil, nil
	runtime.GC()
	s.table(list(), "3")
	if len(s.tables) != 1 {
		t.Errorf("%d tables are kept after their connections have ended", len(s.tables)-1)
	}
}
