package sqlite_test

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/sqlite"
)

func TestSumByDay_DayWithoutUsage_IsListed(t *testing.T) {
	s := newStory(t)
	for _, at := range []string{"2026-10-30T03:59:59.999Z", "2026-10-30T04:00:00Z", "2026-11-01T04:00:00Z",
		"2026-11-02T04:59:59.999Z", "2026-11-03T05:00:00Z"} {
		now, err := time.Parse(time.RFC3339, at)
		s.must(err)
		s.now = now
		putCall(s, sqlite.ModelCall{User: "alice", Spec: "a/b", Cost: price(7), Usage: protocol.Usage{Input: 2}})
	}
	putCall(s, sqlite.ModelCall{User: "bob", Spec: "a/b", Cost: price(1)})
	daily := func(user string, since time.Time) []sqlite.UsageTotal {
		t.Helper()
		list, err := s.db.Usage().SumByDay(t.Context(), user, since, zone(t, "America/New_York"))
		s.must(err)
		return list
	}
	one := func(day string) sqlite.UsageTotal {
		return sqlite.UsageTotal{Day: day, Calls: 1, Usage: protocol.Usage{Input: 2}, Cost: 7}
	}
	// this day has 25 hours
	two := sqlite.UsageTotal{Day: "2026-11-01", Calls: 2, Usage: protocol.Usage{Input: 4}, Cost: 14}
	since := time.Date(2026, 10, 30, 23, 0, 0, 0, time.UTC)
	s.same("alice's", daily("alice", since), []sqlite.UsageTotal{one("2026-10-30"), {Day: "2026-10-31"}, two,
		{Day: "2026-11-02"}, one("2026-11-03")})
	s.same("everybody's, today", daily("", s.now), []sqlite.UsageTotal{{Day: "2026-11-03", Calls: 2,
		Usage: protocol.Usage{Input: 2}, Cost: 8}})
	s.same("of the future", daily("alice", s.now.Add(25*time.Hour)), []sqlite.UsageTotal(nil))
	list, err := s.db.Usage().SumByDay(t.Context(), "carol", s.now, nil)
	s.must(err)
	s.same("a stranger's, in UTC", list, []sqlite.UsageTotal{{Day: "2026-11-03"}})
}
