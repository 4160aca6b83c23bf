package sqlite_test

import (
	"testing"

	"mews/supervisor"
)

// A fire's limit counts all tries of the fire, with their child turns, leases and late usage. Fires
// of another time, job or user are left out.
func TestFireLimit_AllTries_CountTogether(t *testing.T) {
	s := newStory(t)
	begins := func(user, source, key string) supervisor.Turn {
		t.Helper()
		in, _, err := s.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Source: source, Key: key,
			Kind: supervisor.KindJob, Text: "look",
			Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelJob, Chat: source[len("job/"):]}})
		s.must(err)
		turn, _, err := s.db.Turns().Start(t.Context(), in.ID, nil)
		s.must(err)
		return turn
	}
	first := begins("alice", "job/7", "1000/0")
	lease := mustTake(s, claim(first, 50))
	answerChild(s, openChild(s, first, "part 1", "read this"), "clean", 30, lease)
	putCost(s, first, 100, 0)
	late := mustTake(s, claim(first, 9))
	s.finish(first, "")
	for _, other := range []supervisor.Turn{begins("alice", "job/7", "10001/0"), begins("alice", "job/71", "1000/0"), begins("bob", "job/7", "1000/0")} {
		putCost(s, other, 1_000, 0)
		mustTake(s, claim(other, 1_000))
		s.finish(other, "")
	}
	second := begins("alice", "job/7", "1000/1")
	putCost(s, second, 5, 0)
	limit := supervisor.SpendingLimit{Scope: supervisor.ScopeFire, Max: 200}
	_, short := take(s, claim(second, 57, limit))
	s.same("of the fire", short, []supervisor.BudgetShortage{{SpendingLimit: limit, Spent: 135, Held: 9, Wanted: 57}})
	putCost(s, first, 20, late) // this call costs more than its lease
	_, short = take(s, claim(second, 46, limit))
	s.same("of the fire, later", short, []supervisor.BudgetShortage{{SpendingLimit: limit, Spent: 155, Wanted: 46}})
	mustTake(s, claim(second, 45, limit))
}
