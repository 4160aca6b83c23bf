package schedule

import (
	"cmp"
	"slices"

	"mews/supervisor"
)

// lookTurns say whose look was begun when: the how manieth of all it was. Of those who wait, whose
// was the longest ago is next, so that nobody waits for all that another has. It is the loop's
// alone.
type lookTurns map[string]int

// took keeps that a look of somebody has begun.
func (t lookTurns) took(user string) {
	last := 0
	for _, n := range t {
		last = max(last, n)
	}
	t[user] = last + 1
}

// order orders fires by whose turn it is, and else leaves them as they are.
func (t lookTurns) order(list []supervisor.ClaimedFire) []supervisor.ClaimedFire {
	return slices.SortedStableFunc(slices.Values(list), func(a, b supervisor.ClaimedFire) int { return cmp.Compare(t[a.Job.User], t[b.Job.User]) })
}
