package sqlite_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mews/protocol"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// callAt is a model call with its time.
type callAt struct {
	sqlite.ModelCall
	at time.Time
}

// makeCalls stores different model calls of two users on several days.
func makeCalls(s *story) (calls []callAt) {
	homes := map[string]int64{"alice": s.home.ID, "bob": s.conversation("bob").ID}
	for i := range 48 {
		n := int64(i)
		c := sqlite.ModelCall{User: []string{"alice", "bob"}[i%2], Spec: fmt.Sprint("a/", i%3), Purpose: "chat",
			Usage: protocol.Usage{Input: 3 * n, Output: n % 5, CacheRead: 2 * n, CacheWrite: n, Estimated: i%7 == 1}}
		if i%4 != 0 {
			c.Conversation, c.Cost = homes[c.User], price(n*n%7)
		}
		if i%5 == 0 {
			c.Class, c.Purpose = modelcall.StreamStalled, "title"
		}
		s.now = noon.Add(time.Duration(i) * 137 * time.Minute)
		putCall(s, c)
		calls = append(calls, callAt{c, s.now})
	}
	return calls
}

// counts reports whether the query q selects the call.
func (c callAt) counts(q sqlite.UsageQuery) bool {
	return (q.User == "" || q.User == c.User) && (q.From.IsZero() || !c.at.Before(q.From)) &&
		(q.To.IsZero() || c.at.Before(q.To))
}

// total returns the total of the call alone, with the fields that q groups by.
func (c callAt) total(q sqlite.UsageQuery) sqlite.UsageTotal {
	t := sqlite.UsageTotal{User: c.User, Conversation: c.Conversation, Model: c.Spec, Purpose: c.Purpose,
		Day: c.at.In(q.Zone).Format(time.DateOnly)}
	for d, forget := range map[sqlite.UsageDimension]func(){
		sqlite.UsageByUser: func() { t.User = "" }, sqlite.UsageByConversation: func() { t.Conversation = 0 },
		sqlite.UsageByModel: func() { t.Model = "" }, sqlite.UsageByPurpose: func() { t.Purpose = "" },
		sqlite.UsageByDay: func() { t.Day = "" },
	} {
		if !slices.Contains(q.By, d) {
			forget()
		}
	}
	return t
}

// For any query the totals equal those of a plain loop over the calls.
func TestSumUsage_RandomQuery_MatchesModel(t *testing.T) {
	s := newStory(t)
	calls := makeCalls(s)
	all := []sqlite.UsageDimension{sqlite.UsageByUser, sqlite.UsageByConversation, sqlite.UsageByModel,
		sqlite.UsageByPurpose, sqlite.UsageByDay}
	zones := []*time.Location{time.UTC, zone(t, "Asia/Kathmandu"), zone(t, "Pacific/Chatham"), zone(t, "America/New_York")}
	rapid.Check(t, func(t *rapid.T) {
		moment := rapid.Custom(func(t *rapid.T) time.Time {
			if rapid.Bool().Draw(t, "open") {
				return time.Time{}
			}
			return noon.Add(time.Duration(rapid.IntRange(-1, 48*137).Draw(t, "minutes")) * time.Minute)
		})
		q := sqlite.UsageQuery{User: rapid.SampledFrom([]string{"", "alice", "bob", "carol"}).Draw(t, "user"),
			From: moment.Draw(t, "from"), To: moment.Draw(t, "to"), Zone: rapid.SampledFrom(zones).Draw(t, "zone"),
			By: rapid.SliceOfDistinct(rapid.SampledFrom(all), rapid.ID[sqlite.UsageDimension]).Draw(t, "by")}
		got, err := s.db.Usage().Sum(s.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(sumByLoop(calls, q), got, cmpopts.SortSlices(before), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("(-want +got)\n%s", d)
		}
		for i := 1; i < len(got); i++ {
			if sortKey(got[i]) > sortKey(got[i-1]) {
				t.Fatalf("%+v comes before %+v", got[i-1], got[i])
			}
		}
	})
}

// sumByLoop returns the totals that Sum should return, in any order.
func sumByLoop(calls []callAt, q sqlite.UsageQuery) (totals []sqlite.UsageTotal) {
	for _, c := range calls {
		if !c.counts(q) {
			continue
		}
		key := c.total(q)
		i := slices.IndexFunc(totals, func(t sqlite.UsageTotal) bool { return groupName(t) == groupName(key) })
		if i < 0 {
			i, totals = len(totals), append(totals, key)
		}
		totals[i] = c.addedTo(totals[i])
	}
	return totals
}

func (c callAt) addedTo(t sqlite.UsageTotal) sqlite.UsageTotal {
	t.Calls++
	t.Usage.Input += c.Usage.Input
	t.Usage.Output += c.Usage.Output
	t.Usage.CacheRead += c.Usage.CacheRead
	t.Usage.CacheWrite += c.Usage.CacheWrite
	t.Usage.Estimated = t.Usage.Estimated || c.Usage.Estimated
	if c.Class != "" {
		t.Failed++
	}
	switch {
	case c.Cost != nil:
		t.Cost += *c.Cost
	case c.Class == "" || c.Usage != protocol.Usage{}:
		t.Unpriced++
	}
	return t
}

// groupName returns the name of a total's group: the values of its dimensions.
func groupName(t sqlite.UsageTotal) string {
	return fmt.Sprintf("%s %d %s %s %s", t.User, t.Conversation, t.Model, t.Purpose, t.Day)
}

func before(a, b sqlite.UsageTotal) bool { return groupName(a) < groupName(b) }

// sortKey returns the sort key of totals; no call of this test has a million tokens.
func sortKey(t sqlite.UsageTotal) int64 { return t.Cost*1_000_000 + t.Usage.Input + t.Usage.Output }
