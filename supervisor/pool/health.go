package pool

import "time"

// health remembers how a person's workers ended, and says how long the next start has to wait.
type health struct {
	backoff time.Duration // the last wait; 0 after a turn that went well
	recent  []time.Time   // the deaths that the breaker counts, oldest first; at most BreakerDeaths
}

// died records a death. It gives the wait before the next start, or the time until which none is made.
func (h *health) died(now time.Time, t Timings) (wait time.Duration, broken time.Time) {
	h.backoff = min(max(2*h.backoff, t.BackoffMin), t.BackoffMax)
	h.recent = append(h.recent, now)
	if len(h.recent) > t.BreakerDeaths {
		h.recent = h.recent[1:]
	}
	until := h.recent[0].Add(t.BreakerWindow)
	if len(h.recent) == t.BreakerDeaths && now.Before(until) {
		return 0, until
	}
	return h.backoff, time.Time{}
}

// recovered ends the back-off's growth. The breaker still counts what it has seen.
func (h *health) recovered() { h.backoff = 0 }
