package rare_test

import (
	"testing"
	"time"

	"mews/supervisor/internal/rare"
)

func TestThrottle_SameKey_IsReportedOnce(t *testing.T) {
	x := rare.Throttle{Every: time.Hour}
	for _, c := range []struct {
		what, key string
		at        time.Time
		want      int
	}{
		{"the first", "ann", noon, 1},
		{"the second", "ann", noon.Add(time.Minute), 0},
		{"another", "bob", noon.Add(time.Minute), 1},
		{"the third", "ann", noon.Add(time.Hour - 1), 0},
		{"an hour later", "ann", noon.Add(time.Hour), 3},
		{"at once again", "ann", noon.Add(time.Hour), 0},
		{"after the clock was set back", "ann", noon, 2},
	} {
		if got := x.CountOccurrence(c.key, c.at); got != c.want {
			t.Errorf("%s: got %d, want %d", c.what, got, c.want)
		}
	}
}

func TestThrottle_ZeroValue_UsesOneMinute(t *testing.T) {
	var x rare.Throttle
	if !x.ShouldReport("", noon) || x.ShouldReport("", noon.Add(59*time.Second)) ||
		!x.ShouldReport("", noon.Add(time.Minute)) {
		t.Error("it is not said once a minute")
	}
}

func TestThrottle_ForgottenKey_IsReportedAgain(t *testing.T) {
	var x rare.Throttle
	x.ShouldReport("ann", noon)
	x.ShouldReport("bob", noon)
	x.ForgetKeys(func(key string) bool { return key == "ann" })
	if !x.ShouldReport("ann", noon) || x.ShouldReport("bob", noon) {
		t.Error("not exactly the dropped key is said again")
	}
}
