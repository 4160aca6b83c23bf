package pool

import (
	"testing"
	"time"
)

func TestBackoff_DoublesToItsLimit(t *testing.T) {
	timings := Timings{BreakerDeaths: 1000}.withDefaults()
	var h restartBackoff
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, want := range []string{"200ms", "400ms", "800ms", "1.6s", "3.2s", "6.4s", "12.8s", "25.6s", "51.2s", "1m0s", "1m0s"} {
		wait, _ := h.died(at, timings)
		if wait.String() != want {
			t.Errorf("wait %v, want %s", wait, want)
		}
	}
	h.recovered()
	if wait, _ := h.died(at, timings); wait != 200*time.Millisecond {
		t.Errorf("after a good turn: wait %v", wait)
	}
}

func TestCircuitBreaker_CountsOnlyRecentDeaths(t *testing.T) {
	timings := Timings{}.withDefaults() // by default the breaker opens after 5 deaths in 5 minutes
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		minutes []float64 // time of each death, in minutes
		broken  float64   // time until which the breaker is open after the last death, in minutes; 0 means closed
	}{
		"four at once":                     {[]float64{0, 0, 0, 0}, 0},
		"five at once":                     {[]float64{0, 0, 0, 0, 0}, 5},
		"five in just less than a window":  {[]float64{0, 1, 2, 3, 4.9}, 5},
		"five in a window exactly":         {[]float64{0, 1, 2, 3, 5}, 0},
		"four after a long peace":          {[]float64{0, 60, 60, 60, 60}, 0},
		"five after a long peace":          {[]float64{0, 60, 60, 60, 60, 61}, 65},
		"one more after the window passed": {[]float64{0, 0, 0, 0, 0, 5}, 0},
	} {
		var h restartBackoff
		var broken time.Time
		for _, m := range c.minutes {
			_, broken = h.died(start.Add(time.Duration(m*float64(time.Minute))), timings)
		}
		want := time.Time{}
		if c.broken > 0 {
			want = start.Add(time.Duration(c.broken * float64(time.Minute)))
		}
		if name == "one more after the window passed" && len(h.recentDeaths) > 5 {
			t.Errorf("%d deaths are remembered", len(h.recentDeaths))
		}
		if !broken.Equal(want) {
			t.Errorf("%s: broken until %v, want %v", name, broken, want)
		}
	}
}

func TestTimings_ZeroValue_GetsDefaults(t *testing.T) {
	want := Timings{
		Handshake: 10 * time.Second, SelfTest: time.Minute, PingEvery: 30 * time.Second, PingAnswer: 10 * time.Second,
		Idle:  30 * time.Minute,
		Grace: 2 * time.Second, Term: 2 * time.Second, Kill: 10 * time.Second, Write: 10 * time.Second,
		BackoffMin: 200 * time.Millisecond, BackoffMax: time.Minute, Shortage: time.Second, BreakerDeaths: 5, BreakerWindow: 5 * time.Minute,
	}
	if got := (Timings{}).withDefaults(); got != want {
		t.Errorf("%+v", got)
	}
}
