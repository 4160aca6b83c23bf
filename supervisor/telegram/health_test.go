package telegram_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/telegram"
)

// TestAlarm_FailuresComeAndGo_IsNotRepeated checks an hour of failures that come and go. They cause
// few alarms, but all failures are logged. A lasting failure and its end are reported.
func TestAlarm_FailuresComeAndGo_IsNotRepeated(t *testing.T) {
	for name, test := range map[string]struct {
		broken      func(after time.Duration) bool
		least, most int  // allowed number of alarms
		lasts       bool // whether the last failure persists at the end
	}{
		"a minute in two, for an hour": {func(after time.Duration) bool {
			return after < time.Hour && after/time.Minute%2 == 0
		}, 3, 6, false},
		"a short break, and then for good": {func(after time.Duration) bool {
			return after < 20*time.Second || after > 2*time.Minute
		}, 2, 2, true},
		"two that are close": {func(after time.Duration) bool {
			return after < 20*time.Second || after > 2*time.Minute && after < 9*time.Minute
		}, 1, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			var told []string
			var at []time.Duration
			began := time.Time{}
			health := &telegram.Health{Recovered: func(text string) { told = append(told, text) }}
			health.Alarm = func(string) { at = append(at, time.Since(began)) }
			o := telegram.PollOptions{Health: health}
			pollAs(t, newStore(0), o, 2*time.Hour, func(a asked, ctx context.Context) (*http.Response, error) {
				if began.IsZero() {
					began = time.Now()
				}
				if test.broken(a.after) {
					return respond(502, "")
				}
				return brief(ctx)
			})
			ends := len(at)
			if test.lasts {
				ends--
			}
			if len(at) < test.least || len(at) > test.most || len(told) != ends {
				t.Errorf("told at %v, and %d times that it is over; want %d to %d and %d", at, len(told), test.least, test.most, ends)
			}
			for i := range at[1:] {
				if apart := at[i+1] - at[i]; apart < 10*time.Minute {
					t.Errorf("told at %v: alarms %d and %d are %s apart", at, i, i+1, apart)
				}
			}
		})
	}
}

// brief is an empty poll of 5 s.
func brief(ctx context.Context) (*http.Response, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(5 * time.Second):
		return result(`[]`)
	}
}

// TestLog_ThreeFailures_AreMarkedLasting checks that three failures in a row count as lasting.
func TestLog_ThreeFailures_AreMarkedLasting(t *testing.T) {
	log, journal := logged()
	n := 0
	o := telegram.PollOptions{Log: log, Health: new(telegram.Health)}
	pollAs(t, newStore(0), o, time.Minute, func(_ asked, ctx context.Context) (*http.Response, error) {
		if n++; n <= 4 {
			return respond(502, "")
		}
		return silence(ctx)
	})
	var levels []string
	for line := range strings.Lines(journal.String()) {
		for _, level := range []string{"[WARN]", "[ERROR]"} {
			if strings.Contains(line, level) {
				levels = append(levels, level)
			}
		}
	}
	if want := []string{"[WARN]", "[WARN]", "[ERROR]", "[ERROR]"}; !slices.Equal(levels, want) {
		t.Errorf("logged as %v:\n%s", levels, journal)
	}
}
