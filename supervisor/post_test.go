package supervisor_test

import (
	"testing"

	"mews/supervisor"
)

func TestUTF16Length_AnyText_CountsCodeUnits(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "é": 1, "日本": 2, "😀": 2, "👩‍👩‍👧": 8, "\xff": 1} {
		if got := supervisor.UTF16Length(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}
