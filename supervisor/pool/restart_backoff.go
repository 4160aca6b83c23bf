package pool

import (
	"time"

	"mews/supervisor/internal/retry"
)

// restartBackoff counts a worker's deaths, and decides how long the next start must wait.
type restartBackoff struct {
	pauses retry.Pauses // pauses before starts after deaths
	// recentDeaths are the times of the deaths that the breaker counts, oldest first; at most
	// BreakerDeaths.
	recentDeaths []time.Time
}

// died records a death. It returns the pause before the next start, or the time until which no
// start is allowed.
func (h *restartBackoff) died(now time.Time, t Timings) (wait time.Duration, broken time.Time) {
	h.pauses.First, h.pauses.Longest = t.BackoffMin, t.BackoffMax
	wait = h.pauses.Next()
	h.recentDeaths = append(h.recentDeaths, now)
	if len(h.recentDeaths) > t.BreakerDeaths {
		h.recentDeaths = h.recentDeaths[1:]
	}
	until := h.recentDeaths[0].Add(t.BreakerWindow)
	if len(h.recentDeaths) == t.BreakerDeaths && now.Before(until) {
		return 0, until
	}
	return wait, time.Time{}
}

// recovered resets the back-off. The breaker keeps its count.
func (h *restartBackoff) recovered() { h.pauses.Reset() }
