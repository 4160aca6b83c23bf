package heartbeat_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/supervisor/routine/heartbeat"
)

var monday = time.Date(2026, 3, 23, 7, 0, 0, 0, time.UTC)

func zone(t testing.TB) *time.Location {
	madrid, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	return madrid
}

func texts(items []heartbeat.Item) (list []string) {
	for _, i := range items {
		list = append(list, i.Text)
	}
	return list
}

// Only open items of lists count as items. Parse ignores all other text.
func TestParse_ListsOpenItems(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                 nil,
		"# Heartbeat\n\nWhat I look at.\n": nil,
		"- look at the mail\n* the build\n+ the garden\n1. the shed\n2) the roof\n": {"look at the mail",
			"the build", "the garden", "the shed", "the roof"},
		"- [ ] open\n- [x] done\n- [X] done too\n  with more\n":                    {"open"},
		"- a\n  and more of it\n\n  - b below\nnot of it\n":                        {"a\nand more of it", "b below"},
		"<!-- - no -->\n- yes\n<!--\n- no\n- neither -->\n- also\n<!-- - open end": {"yes", "also"},
		"```\n- no\n```\n- yes\n~~~ sh\n- no\n```\n- no\n~~~\n- also":              {"yes", "also"},
		"- twice\n- twice\n":         {"twice"},
		"-no item\n---\n- \n-\n":     nil,
		"- @weekdays 8:30 the build": {"the build"},
	} {
		if diff := cmp.Diff(want, texts(heartbeat.Parse(text, nil, monday))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if n := len(heartbeat.Parse(strings.Repeat("- a\n", 1<<18), nil, monday)); n != 1 {
		t.Errorf("%d items", n)
	}
}

func TestParse_ReadsItemTimes(t *testing.T) {
	items := heartbeat.Parse(
		"- @weekdays 8:30 look at the build\n- @every 2 h: drink\n- @soon or later\n- @tomorrow at 9 once\n- @8:30\n",
		nil,
		monday.In(zone(t)),
	)
	var got []string
	for _, i := range items {
		got = append(got, i.Text+"|"+i.When.Describe(zone(t))+"|"+i.Wrong)
	}
	want := []string{"look at the build|weekdays at 08:30|", "drink|every 2 hours"}
	for n, w := range want {
		if !strings.HasPrefix(got[n], w) {
			t.Errorf("item %d is %q, want %q", n, got[n], w)
		}
	}
	for _, i := range items[2:] {
		if i.Wrong == "" || i.HasTime() {
			t.Errorf("%q is read as %+v", i.Text, i.When)
		}
	}
}

// countDue returns how often each item is due at a sequence of times, by the item's text.
func countDue(t testing.TB, items []heartbeat.Item, at ...time.Time) map[string]int {
	n, state := map[string]int{}, heartbeat.ItemRecords(nil)
	for _, now := range at {
		due, next, err := heartbeat.DueItems(items, state, now, zone(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range due {
			n[i.Text]++
		}
		state = next
	}
	return n
}

func TestDueItems_PlainAndTimed_ComeWhenDue(t *testing.T) {
	items := heartbeat.Parse("- plain\n- @weekdays 8:30 timed\n- @what wrong\n", nil, monday)
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 3, 23+day, hour, minute, 0, 0, time.UTC) }
	got := countDue(t, items, at(0, 6, 0), at(0, 6, 30), at(0, 7, 29), at(0, 7, 30), at(0, 8, 0), at(0, 22, 59),
		at(0, 23, 1), at(1, 12, 0), at(5, 12, 0))
	// 23:01 in London is the next day in Madrid
	if diff := cmp.Diff(map[string]int{"plain": 3, "timed": 3, "@what wrong": 1}, got); diff != "" {
		t.Error(diff)
	}
	changed := heartbeat.Parse("- plain, with more\n", nil, monday)
	_, state, err := heartbeat.DueItems(items, nil, monday, zone(t))
	if err != nil {
		t.Fatal(err)
	}
	due, state, err := heartbeat.DueItems(changed, state, monday.Add(time.Minute), zone(t))
	if err != nil || len(due) != 1 || len(state) != 1 {
		t.Errorf("what was changed is due: %v; known are %v, %v", texts(due), state, err)
	}
}

// Although the file is parsed again at each check, its items are due at their times: a time counts
// from when its item was first seen.
func TestDueItems_TimedItem_CountsFromFirstSight(t *testing.T) {
	for text, want := range map[string]int{"- @every 2 h: drink": 119, "- @hourly: drink": 239,
		"- @every 2 days at 9: x": 5, "- @daily at 9 until tuesday: x": 2,
		"- @daily at 9 2 times: x": 2, "- @FREQ=DAILY;COUNT=2;BYHOUR=9;BYMINUTE=0: x": 2, "- @*/30 * * * *: x": 479,
		"- @daily at 9: x": 10} {
		state, n := heartbeat.ItemRecords(nil), 0
		for check := range 480 { // the checks of ten days
			// each check is a little earlier in its minute than the check before
			now := monday.Add(time.Duration(check)*30*time.Minute + time.Duration(59-check%60)*time.Second)
			due, next, err := heartbeat.DueItems(heartbeat.Parse(text, state, now.In(zone(t))), state, now, zone(t))
			if err != nil {
				t.Fatal(err)
			}
			n, state = n+len(due), next
		}
		if n != want {
			t.Errorf("%s is due %d times, want %d", text, n, want)
		}
	}
}

// A changed item counts as a new item, and its count starts at 0 again.
func TestDueItems_ChangedItem_IsDueAgain(t *testing.T) {
	state, n := heartbeat.ItemRecords(nil), 0
	for check := range 96 {
		text, now := "- @hourly 3 times: drink", monday.Add(time.Duration(check)*30*time.Minute)
		if check >= 48 {
			text += " tea"
		}
		due, next, err := heartbeat.DueItems(heartbeat.Parse(text, state, now), state, now, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		n, state = n+len(due), next
		if want := map[int]int{47: 3, 95: 6}[check]; want > 0 && n != want {
			t.Errorf("by check %d it was due %d times, want %d", check, n, want)
		}
	}
}

// An item without a time is due exactly once on each day that has a check, for any number of
// checks.
func TestDueItems_UntimedItem_IsDueOnceADay(t *testing.T) {
	items := heartbeat.Parse("- plain\n", nil, monday)
	rapid.Check(t, func(r *rapid.T) {
		now, days, state, n := monday, map[string]bool{}, heartbeat.ItemRecords(nil), 0
		for _, minutes := range rapid.SliceOfN(rapid.IntRange(1, 3000), 1, 60).Draw(r, "pauses") {
			now = now.Add(time.Duration(minutes) * time.Minute)
			due, next, err := heartbeat.DueItems(items, state, now, zone(t))
			if err != nil {
				r.Fatal(err)
			}
			days[now.In(zone(t)).Format(time.DateOnly)] = true
			n, state = n+len(due), next
			if n != len(days) {
				r.Fatalf("by %s it was due %d times on %d days", now, n, len(days))
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"- a\n- [x] b\n", "<!--\n- a", "```\n- a\n```", "- @weekdays 8:30 x\n  y",
		"1. @FREQ=DAILY;BYSETPOS=9 x", "- @*/30 8-21 * * * z", "\x00- \xff\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		items := heartbeat.Parse(text, nil, monday)
		keys := map[string]bool{}
		for _, i := range items {
			if keys[i.Key] {
				t.Errorf("two items have the key %s", i.Key)
			}
			keys[i.Key] = true
			for _, line := range strings.Split(i.Text, "\n") {
				known := func(w string) bool { return strings.Contains(text, w) }
				if !slices.ContainsFunc(strings.Fields(line), known) && strings.TrimSpace(line) != "" {
					t.Errorf("%q is not in the file", line)
				}
			}
		}
		due, state, err := heartbeat.DueItems(items, nil, monday, time.UTC)
		if err == nil && len(state) != len(items) || len(due) > len(items) {
			t.Errorf("of %d items %d are known and %d are due", len(items), len(state), len(due))
		}
	})
}
