package command_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor"
	"mews/supervisor/budget"
	"mews/supervisor/spans"
	"mews/supervisor/usage"
)

type people map[string]supervisor.User

func (p people) Find(name string) (supervisor.User, bool) {
	u, ok := p[name]
	return u, ok
}

// usages returns prepared lines, and records the queries. The first query gets the lines of today.
type usages struct {
	month, today []usage.Line
	topics, days []usage.Line
	asked        []string
}

func (u *usages) SumUsage(_ context.Context, user string, in supervisor.TimeSpan, by string) ([]usage.Line, error) {
	asked := fmt.Sprintf("%s since %s by %s", user, in.From.Format(time.RFC3339), by)
	if !in.To.IsZero() {
		asked += " until " + in.To.Format(time.RFC3339)
	}
	u.asked = append(u.asked, asked)
	switch {
	case by == "conversation":
		return u.topics, nil
	case len(u.asked) == 1:
		return u.today, nil
	}
	return u.month, nil
}

func (u *usages) SumDailyUsage(_ context.Context, user string, since time.Time, zone *time.Location) ([]usage.Line,
	error) {
	u.asked = append(u.asked, fmt.Sprintf("%s each day since %s", user, since.In(zone).Format(time.DateOnly)))
	return u.days, nil
}

// budgets has the remaining budgets of each user.
type budgets map[string][]budget.Allowance

func (b budgets) ListRemainingBudgets(_ context.Context, user string) ([]budget.Allowance, error) {
	return b[user], nil
}

// IsSharedLimitReached reports whether the map has the key "everybody".
func (b budgets) IsSharedLimitReached(context.Context) (bool, error) {
	_, spent := b["everybody"]
	return spent, nil
}

// pictures records drawn pictures.
type pictures struct{ kept [][]byte }

func (p *pictures) StorePicture(name string, png []byte) (supervisor.File, error) {
	p.kept = append(p.kept, png)
	return supervisor.File{SHA256: strings.Repeat("ab", 32), Size: int64(len(png)), Name: name, MediaType: "image/png"}, nil
}

func (p *pictures) StoreText(name, text string) (supervisor.File, error) {
	p.kept = append(p.kept, []byte(text))
	return supervisor.File{SHA256: strings.Repeat("cd", 32), Size: int64(len(text)), Name: name,
		MediaType: "text/markdown"}, nil
}

func TestUsage_SumsByPeriodAndModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRig(t)
		kept := &usages{
			today: []usage.Line{{Name: "far/m", Calls: 1, Input: 2000, Output: 30, CacheRead: 1990, Cost: 1234}},
			month: []usage.Line{
				{Name: "far/m", Calls: 1200, Input: 34_567_890, Output: 91_000, CacheRead: 30_765_422, CacheWrite: 9, Cost: 12_345_678},
				{Name: "near/qwen3", Calls: 3, Input: 900, Output: 12, Estimated: true},
				{Name: "", Calls: 2, Input: 7, Output: 7, Unpriced: 2},
			},
		}
		h.options.Usages = kept
		// in this time zone the next day has begun
		h.options.People = people{"ann": {Name: "ann", Timezone: "Pacific/Kiritimati"}}
		h.live()
		time.Sleep(12 * 24 * time.Hour) // the clock of the synctest bubble begins with the year 2000
		const want = "Your use of models:\n\n" +
			"- today: 1 call, 2,000 tokens in (99 % from a cache), 30 out, $0.0012\n" +
			"- this week: 1,205 calls, about 34,568,797 tokens in (88 % from a cache), 91,019 out, $12.35 and 2 calls of unknown price\n" +
			"- this month: 1,205 calls, about 34,568,797 tokens in (88 % from a cache), 91,019 out, $12.35 and 2 calls of unknown price\n\n" +
			"By model, this month:\n\n" +
			"- `far/m`: 1,200 calls, 34,567,890 tokens in (88 % from a cache), 91,000 out, $12.35\n" +
			"- `near/qwen3`: 3 calls, about 900 tokens in, 12 out, $0.00\n" +
			"- (without a name): 2 calls, 7 tokens in, 7 out, price not known"
		if got := h.ask("/usage"); got != want {
			t.Errorf("told was\n%s\nwant\n%s", got, want)
		}
		asked := []string{"ann since 2000-01-13T00:00:00+14:00 by model", "ann since 2000-01-10T00:00:00+14:00 by model",
			"ann since 2000-01-01T00:00:00+14:00 by model", "ann since 2000-01-01T00:00:00+14:00 by conversation",
			"ann each day since 1999-12-15"}
		if !slices.Equal(kept.asked, asked) {
			t.Errorf("asked was %q", kept.asked)
		}
	})
}

func TestUsage_Span_SumsThatSpan(t *testing.T) {
	for _, c := range []struct {
		role  supervisor.Role
		ask   string
		want  string // expected part of the answer
		asked string // expected beginning of the only query; "" means no query
	}{
		{supervisor.RoleUser, "/usage 7d", "Your use of models from ", "ann since "},
		{supervisor.RoleUser, "/usage last 2 days", "Your use of models from ", "ann since "},
		{supervisor.RoleUser, "/usage yesterday", " until ", "ann since "},
		{supervisor.RoleAdmin, "/usage all 1h", "Everybody's use of models from ", " since "},
		{supervisor.RoleUser, "/usage all 1h", "Only an admin may see", ""},
		{supervisor.RoleUser, "/usage 7x", spans.HelpText, ""},
	} {
		h := newRig(t)
		kept := &usages{today: []usage.Line{{Name: "m", Calls: 1, Input: 1, Output: 1, Cost: 10_000}}}
		h.options.Usages, h.options.People = kept, people{"ann": {Name: "ann", Role: c.role}}
		h.live()
		got := h.ask(c.ask)
		if !strings.Contains(got, c.want) || strings.Contains(got, "$0.01") != (c.asked != "") {
			t.Errorf("%s: told was\n%s", c.ask, got)
		}
		if c.asked == "" && len(kept.asked) > 0 ||
			c.asked != "" && (len(kept.asked) != 1 || !strings.HasPrefix(kept.asked[0], c.asked)) {
			t.Errorf("%s: asked was %q", c.ask, kept.asked)
		}
	}
}

func TestUsage_FutureSpan_IsRefused(t *testing.T) {
	h := newRig(t)
	h.live()
	for span, refused := range map[string]bool{"2999-01-01": true, "2999-01-01..2999-01-05": true, "2999-01": true,
		"today": false, "2020-01-01..2999-01-01": false} {
		if got := h.ask("/usage " + span); strings.Contains(got, "is still to come") != refused {
			t.Errorf("/usage %s: %q", span, got)
		}
	}
}

func TestUsage_SharedLimitReached_SaysSo(t *testing.T) {
	for _, spent := range []bool{true, false} {
		h := newRig(t)
		if spent {
			h.options.Budgets = budgets{"everybody": nil}
		}
		h.live()
		if got := h.ask("/usage"); strings.Contains(got, "The money of everybody here together is used up") != spent {
			t.Errorf("spent %v: %q", spent, got)
		}
	}
}

func TestUsageOfAll_PlainUser_IsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		role  supervisor.Role
		group bool
		ask   string
		want  string
		asked bool
	}{
		"an admin":            {supervisor.RoleAdmin, false, "/usage ALL", "Everybody's use of models:\n\n- today: nothing\n", true},
		"an admin in a group": {supervisor.RoleAdmin, true, "/usage all", "I answered you in our private chat.", true},
		"somebody else":       {supervisor.RoleUser, false, "/usage all", "Only an admin may see", false},
		"nobody we know":      {"", false, "/usage all", "Only an admin may see", false},
		"another's name":      {supervisor.RoleAdmin, false, "/usage bob", "“/usage all”, but not `bob`.", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t)
			kept := &usages{month: []usage.Line{{Name: "bob", Calls: 1, Input: 1, Output: 1, Cost: 10_000}}}
			kept.today = kept.month[:0]
			h.options.Usages, h.options.People = kept, people{"ann": {Name: "ann", Role: c.role}}
			if c.group {
				h.inGroup()
			}
			h.live()
			got := h.ask(c.ask)
			if !strings.Contains(got, c.want) {
				t.Errorf("told was\n%s", got)
			}
			if asked := len(kept.asked) == 4 && strings.HasPrefix(kept.asked[2], " since ") &&
				strings.HasSuffix(kept.asked[2], " by user") && strings.HasPrefix(kept.asked[3], " each day"); asked != c.asked || !asked && len(kept.asked) > 0 {
				t.Errorf("asked was %q", kept.asked)
			}
			if !c.asked && strings.Contains(got, "$0.01") {
				t.Errorf("told was\n%s", got)
			}
		})
	}
}

func TestUsage_LongList_SumsUpRest(t *testing.T) {
	h := newRig(t)
	kept := &usages{}
	for i := range 23 {
		kept.month = append(kept.month, usage.Line{Name: fmt.Sprint("m", i), Calls: 1, Input: 5, Output: 2, Cost: 10_000})
	}
	h.options.Usages = kept
	h.live()
	if got := h.ask("/usage"); !strings.HasSuffix(got, "\n- `m19`: 1 call, 5 tokens in, 2 out, $0.01\n"+
		"- 3 more: 3 calls, 15 tokens in, 6 out, $0.03") {
		t.Errorf("told was\n%s", got)
	}
}

// days returns ann's usage on each day of a month. The cost rises by cost each day, from 0.
func days(cost int64) (list []usage.Line) {
	for i := range 30 {
		list = append(list, usage.Line{Name: fmt.Sprintf("2000-01-%02d", i+1), Calls: min(1, int64(i)), Input: int64(i), Cost: int64(i) * cost})
	}
	return list
}

func TestUsage_ShowsConversationsAndBudget(t *testing.T) {
	h := newRig(t)
	h.moveTo("1")
	line := usage.Line{Name: "far/m", Calls: 2, Input: 20, Output: 2, Cost: 50_000}
	kept := &usages{month: []usage.Line{line}, topics: []usage.Line{
		{Name: "telegram", Calls: 1, Input: 10, Output: 1, Cost: 30_000}, {Name: "terminal", Calls: 1, Input: 10, Output: 1, Cost: 20_000}}}
	h.options.Usages = kept
	h.options.Budgets = budgets{"ann": {{When: "today", Max: 2_000_000, Left: 1_950_000}, {When: "this month", Max: 5_000_000, Left: -1}}}
	h.live()
	const want = "Your use of models:\n\n- today: nothing\n- this week: 2 calls, 20 tokens in, 2 out, $0.05\n" +
		"- this month: 2 calls, 20 tokens in, 2 out, $0.05\n\nBy model, this month:\n\n- `far/m`: 2 calls, 20 tokens in, 2 out, $0.05\n\n" +
		"By conversation, this month:\n\n- `telegram`: 1 call, 10 tokens in, 1 out, $0.03\n- `terminal`: 1 call, 10 tokens in, 1 out, $0.02\n\n" +
		"Of your budget $1.95 of $2.00 is left today, and $0.00 of $5.00 is left this month."
	if got := h.ask("/usage"); got != want {
		t.Errorf("told was\n%s\nwant\n%s", got, want)
	}
}

// Failed calls cost nothing, so no chart is drawn.
func TestUsageChart_FailedCalls_AreNotDrawn(t *testing.T) {
	for _, chat := range []string{"", "1"} {
		h := newRig(t)
		if chat != "" {
			h.moveTo(chat)
		}
		drawn := &pictures{}
		failed := []usage.Line{{Name: "2026-11-20", Calls: 3}}
		h.options.Usages, h.options.Pictures = &usages{days: failed, month: failed, today: failed}, drawn
		h.live()
		got := h.answerOf(h.keep("/usage"))
		if len(got.Files)+len(drawn.kept) != 0 || strings.Contains(got.Text, "```") || !strings.Contains(got.Text, "3 calls") {
			t.Errorf("told was\n%s\nwith %+v", got.Text, got.Files)
		}
	}
}

func TestUsage_ChannelWithFiles_GetsPicture(t *testing.T) {
	for name, c := range map[string]struct {
		chat  string
		cost  int64
		files int
		want  string
	}{
		"on Telegram":          {chat: "1", cost: 1000, files: 1},
		"in the terminal":      {cost: 1000, want: "\n\nThe last 30 days, in US dollars a day:\n\n```\n2000-01-02 █ $0.0010\n"},
		"terminal, free calls": {want: "\n2000-01-30 " + strings.Repeat("█", 30) + " 29\n```"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t)
			if c.chat != "" {
				h.moveTo(c.chat)
			}
			drawn := &pictures{}
			h.options.Usages, h.options.Pictures = &usages{days: days(c.cost)}, drawn
			h.live()
			got := h.answerOf(h.keep("/usage"))
			if len(got.Files) != c.files || len(drawn.kept) != c.files || !strings.Contains(got.Text, c.want) || strings.Contains(got.Text, "█") != (c.want != "") {
				t.Errorf("told was\n%s\nwith %+v", got.Text, got.Files)
			}
			if c.files > 0 && (got.Files[0].Name != "usage.png" || !strings.HasPrefix(string(drawn.kept[0]), "\x89PNG")) {
				t.Errorf("drawn was %+v", got.Files)
			}
		})
	}
}
