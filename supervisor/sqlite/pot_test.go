package sqlite_test

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

const widgets = "review/acme/widget"

// startReview starts a review turn of alice.
func startReview(s *story) supervisor.Turn {
	s.Helper()
	in, _, err := s.db.Inbox().StoreInbound(s.Context(), supervisor.Inbound{Source: "github/acme/widget", Key: "7",
		Kind: supervisor.KindReview, Text: "review it",
		Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelGitHub, Chat: "acme/widget", Thread: "7"}})
	s.must(err)
	turn, _, err := s.db.Turns().Start(s.Context(), in.ID, nil)
	s.must(err)
	return turn
}

// openChild opens a named child turn.
func openChild(s *story, turn supervisor.Turn, name, text string) sqlite.ChildExchange {
	s.Helper()
	w, err := s.db.Turns().OpenChildTurn(s.Context(), turn.ID, name, text)
	s.must(err)
	return w
}

// answerChild commits the answer of a child turn, with a cost.
func answerChild(s *story, w sqlite.ChildExchange, text string, cost, lease int64) {
	s.Helper()
	_, err := s.db.Turns().CommitLastStep(s.Context(), sqlite.LastStep{End: sqlite.TurnEnding{Turn: w.Turn,
		Why: protocol.TurnEndDone},
		Step: sqlite.Step{Turn: w.Turn, Spec: "a/b", Cost: price(cost), Leases: []int64{lease}, Pot: widgets,
			Message: protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: text}}}}})
	s.must(err)
}

// Spending of a pot counts for the parent turn, the pot and the installation, and for no user.
func TestPot_Spending_CountsForNoUser(t *testing.T) {
	s := newStory(t)
	turn := startReview(s)
	pays := func(amount int64, limits ...supervisor.SpendingLimit) supervisor.LeaseRequest {
		c := claim(turn, amount, limits...)
		c.Pot = widgets
		return c
	}
	lease := mustTake(s, pays(50))
	answerChild(s, openChild(s, turn, "part 1", "read this"), "clean", 30, lease)
	mustTake(s, pays(20))
	limits := []supervisor.SpendingLimit{{Scope: supervisor.ScopeTurn}, {Scope: supervisor.ScopePot, Since: noon},
		{Scope: supervisor.ScopeInstallation, Since: noon},
		{Scope: supervisor.ScopeDay, Since: noon}, {Scope: supervisor.ScopeMonth, Since: noon}}
	_, short := take(s, pays(1, limits...))
	for i, spent := range []int64{30, 30, 30, 0, 0} {
		held := spent * 2 / 3
		s.same("by "+string(limits[i].Scope), short[i], supervisor.BudgetShortage{SpendingLimit: limits[i],
			Spent: spent, Held: held, Wanted: 1})
	}
	own, err := s.db.Leases().SumAmounts(t.Context(), "alice", noon)
	s.must(err)
	s.same("of her own set aside", own, int64(0))
	other := pays(1, limits[1])
	other.Pot = "review/acme/other"
	_, short = take(s, other)
	s.same("of another pot", short[0].Spent+short[0].Held, int64(0))

	left, err := s.db.Leases().RecoverAfterCrash(t.Context())
	s.must(err)
	s.same("left by a crash", left, int64(1))
	putCall(s, sqlite.ModelCall{User: "alice", Spec: "a/b", Cost: price(7)})
	sum := func(q sqlite.UsageQuery) map[string]int64 {
		t.Helper()
		list, err := s.db.Usage().Sum(t.Context(), q)
		s.must(err)
		costs := map[string]int64{}
		for _, total := range list {
			costs[total.User] += total.Cost
		}
		return costs
	}
	s.same("by whom", sum(sqlite.UsageQuery{By: []sqlite.UsageDimension{sqlite.UsageByUser, sqlite.UsageByModel}}),
		map[string]int64{widgets: 50, "alice": 7})
	s.same("all", sum(sqlite.UsageQuery{}), map[string]int64{"": 57})
	s.same("hers", sum(sqlite.UsageQuery{User: "alice"}), map[string]int64{"": 7})
	_, short = take(s, pays(1, limits[2:4]...))
	s.same("everybody's and hers", []int64{short[0].Spent, short[1].Spent}, []int64{57, 7})
}

// The limit of requested reviews counts the reviews that the user requested since the limit's
// start, with their child turns and leases. A review that began without a request does not count.
func TestRequestedReviewLimit_CountsOwnRequests(t *testing.T) {
	s := newStory(t)
	begins := func(source, key, user string) supervisor.Turn {
		in, _, err := s.db.Inbox().StoreInbound(s.Context(), supervisor.Inbound{Source: source, Key: key,
			Kind: supervisor.KindReview, Text: "review it",
			Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelGitHub, Chat: "acme/widget",
				Thread: key}})
		s.must(err)
		turn, _, err := s.db.Turns().Start(s.Context(), in.ID, nil)
		s.must(err)
		return turn
	}
	limit := supervisor.SpendingLimit{Scope: supervisor.ScopeRequestedWork, Max: 100, Since: s.now}
	pays := func(turn supervisor.Turn, amount int64) supervisor.LeaseRequest {
		c := claim(turn, amount, limit)
		c.Pot = widgets
		return c
	}
	automatic, foreign := begins("github/acme/widget", "1", "alice"), begins(supervisor.SourceGitHubWorkRequest, "2",
		"bob")
	first, second := begins(supervisor.SourceGitHubWorkRequest, "3", "alice"),
		begins(supervisor.SourceGitHubWorkRequest, "4", "alice")
	answerChild(s, openChild(s, automatic, "part", "read"), "clean", 1000, 0)
	answerChild(s, openChild(s, foreign, "part", "read"), "clean", 1000, 0)
	answerChild(s, openChild(s, first, "part", "read"), "clean", 40, 0)
	mustTake(s, pays(first, 25))
	_, short := take(s, pays(second, 36))
	s.same("short", short, []supervisor.BudgetShortage{{SpendingLimit: limit, Spent: 40, Held: 25, Wanted: 36}})
	mustTake(s, pays(second, 35))
	limit.Since = s.now.Add(time.Hour)
	mustTake(s, pays(second, 100))
}

// OpenChildTurn finds an existing child turn by its name, even if it has ended meanwhile.
func TestOpenChildTurn_SameName_ReturnsSameTurn(t *testing.T) {
	s := newStory(t)
	turn := startReview(s)
	first := openChild(s, turn, "part 1", "read this")
	s.same("as it was left", openChild(s, turn, "part 1", "read that"), first)
	s.same("empty but for its text", []any{first.Asked.Text(), first.Answer.ID, len(s.transcript(supervisor.Conversation{ID: first.Conversation}))},
		[]any{"read this", int64(0), 1})
	second := openChild(s, turn, "part 2", "read more") // the first child has failed
	answerChild(s, second, "clean", 1, 0)
	again := openChild(s, turn, "part 2", "read more")
	s.same("answered", []any{again.Turn, again.Answer.Text()}, []any{second.Turn, "clean"})
	if retried := openChild(s, turn, "part 1", "read this"); retried.Turn == first.Turn || retried.Answer.ID != 0 {
		t.Errorf("what has ended without an answer was found: %+v", retried)
	}
	const kept = "SELECT group_concat(DISTINCT m.role || iif(m.parts = '[]', '', ' kept')) FROM turn t JOIN message m ON m.turn = t.id WHERE t.parent = ?"
	s.same("before its end", s.query(kept, turn.ID), "user kept,assistant kept")
	s.finish(turn, "the card")
	s.same("after its end", s.query(kept, turn.ID), "user,assistant kept")
	_, err := s.db.Turns().OpenChildTurn(t.Context(), turn.ID, "part 2", "read more")
	s.checkRefused(err, supervisor.CodeInvalid, "has ended")
	s.same("running", s.query("SELECT count(*) FROM turn WHERE ended_at IS NULL"), "0")
	counts, err := s.db.UserAccessStores().People.Erase(t.Context(), "alice")
	s.must(err)
	s.same("erased", counts["turn"], int64(4))
}
