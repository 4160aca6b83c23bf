package spans

import (
	"errors"
	"testing"
	"time"
)

func TestParse_EndBeforeStart_IsBackwardsError(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]bool{"2026-11-30..2026-11-29": true, "today..yesterday": true,
		"2026-11-29..2026-11-30": false, "milk..eggs": false, "..": false} {
		if _, err := Parse(text, now); errors.As(err, new(*BackwardsError)) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
