package supervisor_test

import (
	"testing"

	"mews/supervisor"
)

func TestUnits_CountsUTF16(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "é": 1, "日本": 2, "😀": 2, "👩‍👩‍👧": 8, "\xff": 1} {
		if got := supervisor.Units(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}
