package budget

import (
	"sync"

	"mews/supervisor"
	"mews/supervisor/internal/signals"
)

// releases tell those who lack money that some was given back. The zero value is ready. It may be
// used from several goroutines.
type releases struct {
	signals.Broadcast

	mu    sync.Mutex       // guards stuck
	stuck map[string]int64 // what no call ends any more, by user, in millionths of a dollar
}

// lose says that a lease of a user's stays.
func (r *releases) lose(user string, amount int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stuck == nil {
		r.stuck = map[string]int64{}
	}
	r.stuck[user] += amount
}

// cover says whether there is enough once all calls have ended that run now: the user's own, and
// everybody's where the limit is everybody's.
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
