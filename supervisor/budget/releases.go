package budget

import (
	"sync"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// releases wakes calls that lack money when some was returned. The zero value is ready. It may be
// used from several goroutines.
type releases struct {
	signals.Broadcast

	mu sync.Mutex // guards stuck
	// the money of leases that can't be ended, by user, in millionths of a dollar
	stuck map[string]int64
}

// lose records that a user's lease can't be ended.
func (r *releases) lose(user string, amount int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stuck == nil {
		r.stuck = map[string]int64{}
	}
	r.stuck[user] += amount
}

// cover reports whether there will be enough money when all running calls have ended: the user's
// calls, and everybody's if the limit is shared.
func (r *releases) cover(user string, short []supervisor.Shortage) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range short {
		comes := s.Held - r.stuck[user]
		for other, amount := range r.stuck {
			if s.Scope == supervisor.ScopeInstallation && other != user {
				comes -= amount
			}
		}
		if s.Missing() > comes {
			return false
		}
	}
	return true
}
