package schedule

import (
	"cmp"
	"slices"

	"mews/supervisor"
)

// checkTurns number each person's last check in the order in which checks began. Of those who wait,
// the person whose was the longest ago is next, so that nobody waits for all that another has. The
// loop alone uses it.
type checkTurns map[string]int

// noteBegun keeps that a check of somebody has begun.
func (t checkTurns) noteBegun(user string) {
	last := 0
	for _, n := range t {
		last = max(last, n)
	}
	t[user] = last + 1
}

// order orders fires by whose turn it is, and else leaves them as they are.
func (t checkTurns) order(list []supervisor.ClaimedFire) []supervisor.ClaimedFire {
	return slices.SortedStableFunc(slices.Values(list), func(a, b supervisor.ClaimedFire) int { return cmp.Compare(t[a.Job.User], t[b.Job.User]) })
}
