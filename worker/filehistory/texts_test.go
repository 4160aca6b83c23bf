package filehistory

import (
	"testing"

	"mews/protocol"
)

// The supervisor refuses reasons in any other form.
func TestReasons_EachText_IsPlain(t *testing.T) {
	for _, text := range reasons {
		if got := protocol.PlainReason(text); got != text {
			t.Errorf("%q: the supervisor would want %q", text, got)
		}
	}
}
