package budget

import (
	"sync"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// releases wakes the calls that wait for money whenever the end of a lease has freed some. The zero
// value is ready. It may be used from several goroutines.
type releases struct {
	signals.Broadcast

	mu sync.Mutex // guards the field stuck
	// money of leases that could not be ended, by user, in millionths of a dollar
	stuck map[string]int64
}

// lose records that a user's lease could not be ended.
func (r *releases) lose(user string, amount int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stuck == nil {
		r.stuck = map[string]int64{}
	}
	r.stuck[user] += amount
}

// cover reports whether there will be enough money when running calls have ended. These are the
// user's calls, or all calls if the limit is shared.
func (r *releases) cover(user string, short []supervisor.BudgetShortage) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range short {
		comes := s.Held - r.stuck[user]
		for other, amount := range r.stuck {
			if s.Scope == supervisor.ScopeInstallation && other != user {
				comes -= amount
			}
		}
		if s.MissingAmount() > comes {
			return false
		}
	}
	return true
}
