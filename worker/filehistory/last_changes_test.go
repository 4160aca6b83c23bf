package filehistory

import (
	"fmt"
	"testing"

	"mews/protocol"
)

// The list names at most four changes of each point, the newest point first.
func TestLastChanges_Points_AreNamedNewestFirst(t *testing.T) {
	f := newFixture(t)
	f.write("a", "1")
	f.program(func() {})
	first := f.program(func() { f.write("a", "2") })
	many := f.program(func() {
		for i := range 9 {
			f.write(fmt.Sprint("b", i), "3")
		}
		f.write("bad\xff", "4")
	})
	list, more, err := f.h.LastChanges(0)
	if err != nil || more || len(list) < 5 {
		t.Fatalf("got %+v, %t, %v", list, more, err)
	}
	for i, v := range list[:4] {
		if v.Point != many.To || v.Path != fmt.Sprint("b", i) || v.By.Kind != protocol.HistoryAuthorProgram ||
			v.NotKept != "" {
			t.Errorf("%d: got %+v", i, v)
		}
	}
	if v := list[4]; v.Point != first.To || v.Path != "a" {
		t.Errorf("got %+v", v)
	}
	if list, _, err = f.h.LastChanges(many.To); err != nil || list[0].Point != first.To {
		t.Errorf("before: got %+v, %v", list, err)
	}
	for i := range protocol.MaxFileVersions {
		f.program(func() {
			f.write("a", fmt.Sprint("x", i))
			f.write("c", fmt.Sprint("y", i))
		})
	}
	if list, more, err = f.h.LastChanges(0); err != nil || !more || len(list) != protocol.MaxFileVersions {
		t.Errorf("many: got %d, %t, %v", len(list), more, err)
	}
}
