package schedule

import (
	"cmp"
	"slices"

	"mews/supervisor"
)

// checkTurns numbers each user's last check in the order of their starts. The user with the oldest
// last check is next, so no user waits for all checks of another user. Only the loop uses it.
type checkTurns map[string]int

// noteBegun records that a check of a user has begun.
func (t checkTurns) noteBegun(user string) {
	last := 0
	for _, n := range t {
		last = max(last, n)
	}
	t[user] = last + 1
}

// order sorts fires by the numbers of their users, lowest first. Fires of one user keep their
// order.
func (t checkTurns) order(list []supervisor.ClaimedFire) []supervisor.ClaimedFire {
	return slices.SortedStableFunc(slices.Values(list), func(a, b supervisor.ClaimedFire) int { return cmp.Compare(t[a.Job.User], t[b.Job.User]) })
}
