package timezone_test

import (
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/timezone"
)

func TestForUser_NoTimezone_IsLocal(t *testing.T) {
	for name, want := range map[string]string{"Europe/Madrid": "Europe/Madrid", "": time.Local.String(), "Nowhere": time.Local.String()} {
		if got := timezone.ForUser(supervisor.User{Timezone: name}); got.String() != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}
