package sqlite_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// price returns a pointer to a price.
func price(cost int64) *int64 { return &cost }

// putCall stores a call without a message.
func putCall(s *story, c sqlite.ModelCall) {
	s.Helper()
	s.must(s.db.Usage().PutCall(s.Context(), c))
}

func sum(s *story, q sqlite.UsageQuery) []sqlite.UsageTotal {
	s.Helper()
	list, err := s.db.Usage().Sum(s.Context(), q)
	s.must(err)
	return list
}

func TestPutCall_FailedCall_KeepsTokenCounts(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	s.finish(turn, "Sorry.")
	putCall(s, sqlite.ModelCall{User: "alice", Conversation: s.home.ID, Turn: turn.ID, Spec: "anthropic/big", Model: "big-1",
		Class: modelcall.StreamCut, Usage: protocol.Usage{Input: 7, Output: 5, CacheRead: 3, CacheWrite: 2},
		Cost:    price(9),
		Request: "req_1"})
	putCall(s, sqlite.ModelCall{User: "alice", Spec: "anthropic/big", Purpose: "title", Class: modelcall.Overloaded})
	s.same("what counted", s.query(`SELECT format('%s %d %d %s %s %s %s %d %d %d %d %d %s %d', user, conversation = ?,
		turn = ?, spec, model, purpose, class, input, output, cache_read, cache_write, cost, request, created_at = ?)
		FROM usage WHERE id = 1`, s.home.ID, turn.ID, noon.UnixMilli()),
		"alice 1 1 anthropic/big big-1 chat cut 7 5 3 2 9 req_1 1")
	s.same("what did not", s.query(`SELECT format('%s %s %s', user, purpose, class) FROM usage WHERE id = 2 AND
		conversation IS NULL AND turn IS NULL AND message IS NULL AND cost IS NULL`), "alice title overloaded")
}

func TestPutCall_ForeignTurn_Fails(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	elsewhere := s.conversation("bob").ID
	for _, c := range []struct {
		name  string
		call  sqlite.ModelCall
		code  supervisor.ErrorCode
		words string
	}{
		{"nobody's", sqlite.ModelCall{Spec: "a/b"}, supervisor.CodeInvalid, "is somebody's"},
		{"another user's conversation", sqlite.ModelCall{User: "alice", Conversation: elsewhere}, supervisor.CodeNotFound,
			"no conversation"},
		{"another user's turn", sqlite.ModelCall{User: "bob", Conversation: elsewhere, Turn: turn.ID}, supervisor.CodeNotFound,
			"no turn"},
		{"turn of another conversation", sqlite.ModelCall{User: "alice", Conversation: s.chat("alice", "42").ID,
			Turn: turn.ID}, supervisor.CodeNotFound, "no turn"},
		{"unknown turn", sqlite.ModelCall{User: "alice", Conversation: s.home.ID, Turn: 99},
			supervisor.CodeNotFound, "no turn 99"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.checkRefused(s.db.Usage().PutCall(t.Context(), c.call), c.code, c.words)
			s.same("usage", s.query("SELECT count(*) FROM usage"), "0")
		})
	}
}

// A provider may report any token count. Absurd counts are clamped.
func TestUsage_AbsurdCounts_AreClamped(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	st := step(turn, "hello")
	st.Usage = protocol.Usage{Input: math.MaxInt64, Output: math.MinInt64, CacheRead: -1, CacheWrite: 4}
	st.Cost = price(math.MaxInt64)
	for range 2 {
		_, err := s.db.Turns().CommitStep(t.Context(), st)
		s.must(err)
	}
	putCall(s, sqlite.ModelCall{User: "alice", Usage: st.Usage, Cost: price(-5)})
	const most = 1 << 40
	s.same("total", sum(s, sqlite.UsageQuery{}), []sqlite.UsageTotal{{Calls: 3,
		Usage: protocol.Usage{Input: 3 * most, CacheWrite: 12}, Cost: 2 * most}})
}

func TestSumUsage_Dimensions_GroupTotals(t *testing.T) {
	s := newStory(t)
	bob := s.conversation("bob")
	turn := s.startTurn("hi")
	st := step(turn, "hello") // the step has 10 input tokens and 2 output tokens
	st.Spec, st.Cost = "anthropic/big", price(300)
	_, err := s.db.Turns().CommitStep(t.Context(), st)
	s.must(err)
	failed := sqlite.ModelCall{User: "alice", Conversation: s.home.ID, Turn: turn.ID, Spec: "anthropic/big",
		Class: modelcall.StreamCut, Usage: protocol.Usage{Input: 10}, Cost: price(100)}
	putCall(s, failed)
	failed.Class, failed.Usage, failed.Cost = modelcall.RateLimited, protocol.Usage{}, nil
	putCall(s, failed) // a failed call without tokens needs no price
	putCall(s, sqlite.ModelCall{User: "alice", Model: "old", Purpose: "title", Usage: protocol.Usage{Input: 1, CacheRead: 1}})
	// A successful call without tokens has an unknown cost.
	putCall(s, sqlite.ModelCall{User: "carol", Spec: "new/one"})
	putCall(s, sqlite.ModelCall{User: "bob", Conversation: bob.ID, Spec: "local/small", Cost: price(0),
		Usage: protocol.Usage{Input: 50, Output: 50}})
	for _, c := range []struct {
		name  string
		query sqlite.UsageQuery
		want  []sqlite.UsageTotal
	}{
		{"everything", sqlite.UsageQuery{}, []sqlite.UsageTotal{{Calls: 6, Failed: 2,
			Usage: protocol.Usage{Input: 71, Output: 52, CacheRead: 1}, Cost: 400, Unpriced: 2}}},
		{"one user", sqlite.UsageQuery{User: "alice"}, []sqlite.UsageTotal{{Calls: 4, Failed: 2,
			Usage: protocol.Usage{Input: 21, Output: 2, CacheRead: 1}, Cost: 400, Unpriced: 1}}},
		{"user without calls", sqlite.UsageQuery{User: "dave"}, nil},
		{"by user", sqlite.UsageQuery{By: []sqlite.UsageDimension{sqlite.UsageByUser}}, []sqlite.UsageTotal{
			{User: "alice", Calls: 4, Failed: 2, Usage: protocol.Usage{Input: 21, Output: 2, CacheRead: 1}, Cost: 400,
				Unpriced: 1},
			{User: "bob", Calls: 1, Usage: protocol.Usage{Input: 50, Output: 50}},
			{User: "carol", Calls: 1, Unpriced: 1}}},
		{"by model, free ones by tokens", sqlite.UsageQuery{By: []sqlite.UsageDimension{sqlite.UsageByModel}},
			[]sqlite.UsageTotal{
				{Model: "anthropic/big", Calls: 3, Failed: 2, Usage: protocol.Usage{Input: 20, Output: 2}, Cost: 400},
				{Model: "local/small", Calls: 1, Usage: protocol.Usage{Input: 50, Output: 50}},
				{Model: "old", Calls: 1, Usage: protocol.Usage{Input: 1, CacheRead: 1}, Unpriced: 1},
				{Model: "new/one", Calls: 1, Unpriced: 1}}},
		{"by purpose and conversation", sqlite.UsageQuery{User: "alice",
			By: []sqlite.UsageDimension{sqlite.UsageByPurpose, sqlite.UsageByConversation}}, []sqlite.UsageTotal{
			{Conversation: s.home.ID, Purpose: "chat", Calls: 3, Failed: 2, Usage: protocol.Usage{Input: 20, Output: 2},
				Cost: 400},
			{Purpose: "title", Calls: 1, Usage: protocol.Usage{Input: 1, CacheRead: 1}, Unpriced: 1}}},
	} {
		t.Run(c.name, func(t *testing.T) { s.same("totals", sum(s, c.query), c.want) })
	}
	_, err = s.db.Usage().Sum(t.Context(), sqlite.UsageQuery{By: []sqlite.UsageDimension{"weather"}})
	s.checkRefused(err, supervisor.CodeInvalid, `by "weather"`)
}

// zone returns a time zone by its IANA name.
func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestSumUsage_Days_FollowTimeZone(t *testing.T) {
	s := newStory(t)
	for _, at := range []string{"2026-10-31T18:14:59.999Z", "2026-10-31T18:15:00Z", "2026-11-01T03:59:59.999Z",
		"2026-11-01T04:00:00Z", "2026-11-02T04:59:59.999Z", "2026-11-02T05:00:00Z"} {
		now, err := time.Parse(time.RFC3339, at)
		s.must(err)
		s.now = now
		putCall(s, sqlite.ModelCall{User: "alice", Spec: "a/b"})
	}
	for _, c := range []struct {
		zone *time.Location
		want map[string]int64
	}{
		{nil, map[string]int64{"2026-10-31": 2, "2026-11-01": 2, "2026-11-02": 2}},
		{zone(t, "Asia/Kathmandu"), map[string]int64{"2026-10-31": 1, "2026-11-01": 3, "2026-11-02": 2}},
		// 2026-11-01 has 25 hours: the clocks are set back
		{zone(t, "America/New_York"), map[string]int64{"2026-10-31": 3, "2026-11-01": 2, "2026-11-02": 1}},
	} {
		got := map[string]int64{}
		for _, day := range sum(s, sqlite.UsageQuery{User: "alice", By: []sqlite.UsageDimension{sqlite.UsageByDay},
			Zone: c.zone}) {
			got[day.Day] = day.Calls
		}
		s.same("days", got, c.want)
	}
	half := sqlite.UsageQuery{User: "alice", From: s.now.Add(-1), To: s.now.Add(1)}
	s.same("within two nanoseconds", sum(s, half)[0].Calls, int64(1))
	half.To = s.now
	s.same("before it", sum(s, half), []sqlite.UsageTotal(nil))
}

// FindTokenCount finds the token count of the newest answer's request. Estimated counts and unknown
// requests are left out.
func TestTokenCount_NewestAnswer_IsFound(t *testing.T) {
	s := newStory(t)
	turn := s.startTurn("hi")
	for i, c := range []struct {
		usage protocol.Usage
		asked string
		known bool
	}{
		{protocol.Usage{Input: 100}, "ab", true}, {protocol.Usage{Input: 200}, "cd", true}, {protocol.Usage{Input: 300, Estimated: true}, "ef", false},
		{protocol.Usage{Input: 400}, "", false}, {protocol.Usage{}, "ab", false},
	} {
		st := step(turn, "said")
		st.Spec, st.Usage, st.Asked = "a/b", c.usage, c.asked
		id, err := s.db.Turns().CommitStep(t.Context(), st)
		s.must(err)
		got, err := s.db.Usage().FindTokenCount(t.Context(), turn.Conversation.ID)
		s.must(err)
		want := sqlite.TokenCount{}
		if c.known {
			want = sqlite.TokenCount{Spec: "a/b", Input: c.usage.Input, Asked: c.asked, Answer: id}
		}
		s.same(fmt.Sprint("after answer ", i), got, want)
	}
	other, err := s.db.Usage().FindTokenCount(t.Context(), turn.Conversation.ID+1)
	s.must(err)
	s.same("of another", other, sqlite.TokenCount{})
}
