package outbox

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"mews/supervisor"
)

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestPaceWindow_FullWindow_WaitsForOldestCall(t *testing.T) {
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	w := &window{limit: 3, span: 3 * time.Second}
	for _, step := range []struct {
		now, spare int
		want       time.Time
		begin, end bool
	}{
		{0, 0, time.Time{}, true, true},
		{100, 1, time.Time{}, true, true},
		{200, 1, at(3000), false, false}, // one slot stays free for other chats
		{200, 0, time.Time{}, true, false},
		{300, 0, at(3000), false, false},
		{300, 3, never, false, false},
		{3000, 0, time.Time{}, false, false},
		{3000, 1, at(3100), false, false}, // the third call has not ended
		{9000, 1, time.Time{}, false, true},
		{9000, 2, at(12000), false, false},
	} {
		if got := w.nextTime(at(step.now), step.spare); !got.Equal(step.want) {
			t.Errorf("at %d ms with %d to spare: next at %v, want %v", step.now, step.spare, got, step.want)
		}
		if step.begin {
			w.begin()
		}
		if step.end {
			w.end(at(step.now), true)
		}
	}
}

func TestRates_Zero_MeansTelegramsLimits(t *testing.T) {
	if got, want := (SendRates{All: 1000}).orDefaults(), (SendRates{All: 1000, Chat: 1, Group: 20}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// paced is one call with its begin and end.
type paced struct {
	chat       string
	begin, end time.Time
}

// TestPace_NeverExceedsItsLimits checks that no window holds more than its limit. The channel may
// count a call at any moment between its begin and its end.
func TestPace_NeverExceedsItsLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := SendRates{All: rapid.IntRange(1, 8).Draw(t, "all"), Chat: rapid.IntRange(1, 2).Draw(t, "chat"),
			Group: rapid.IntRange(4, 9).Draw(t, "group")}
		p, now := newPace(supervisor.ChannelTelegram, rates), start
		var calls []paced
		for range rapid.IntRange(1, 80).Draw(t, "calls") {
			chat := rapid.SampledFrom([]string{"1", "2", "-3", "-4"}).Draw(t, "chat")
			growing := rapid.Bool().Draw(t, "growing")
			now = now.Add(time.Duration(rapid.IntRange(0, 900).Draw(t, "pause")) * time.Millisecond)
			if at := later(p.nextTime(chat, growing, 1, now), p.all.nextTime(now, 0)); at.After(now) {
				if at.Equal(never) {
					t.Fatal("nothing is under way, and yet there is no time for the next")
				}
				now = at
			}
			p.begin(chat, now)
			c := paced{chat: chat, begin: now}
			now = now.Add(time.Duration(rapid.IntRange(0, 300).Draw(t, "latency")) * time.Millisecond)
			c.end = now
			p.end(chat, now, true)
			calls = append(calls, c)
		}
		holds(t, calls, rates.All, time.Second, func(string) bool { return true })
		for _, chat := range []string{"1", "2", "-3", "-4"} {
			of := func(c string) bool { return c == chat }
			holds(t, calls, 3*rates.Chat, 3*time.Second, of)
			if supervisor.ChannelTelegram.IsGroup(chat) {
				holds(t, calls, rates.Group, time.Minute, of)
			}
		}
	})
}

func holds(t *rapid.T, calls []paced, n int, span time.Duration, of func(string) bool) {
	var of1 []paced
	for _, c := range calls {
		if of(c.chat) {
			of1 = append(of1, c)
		}
	}
	for i := n; i < len(of1); i++ {
		if gap := of1[i].begin.Sub(of1[i-n].end); gap < span {
			t.Fatalf("%d calls within %v: call %d begins %v after the end of call %d", n+1, span, i, gap, i-n)
		}
	}
}

func TestPace_GrowingReply_LeavesSlotsForEnd(t *testing.T) {
	for chat, most := range map[string]int{"1": 2, "-1": 2} {
		p := newPace(supervisor.ChannelTelegram, SendRates{})
		n := 0
		for ; p.nextTime(chat, true, 1, start).IsZero(); n++ {
			p.begin(chat, start)
			p.end(chat, start, true)
		}
		if n != most || !p.nextTime(chat, false, 1, start).IsZero() {
			t.Errorf("chat %s: %d growing calls at once, want %d, and room for one more", chat, n, most)
		}
	}
	p := newPace(supervisor.ChannelTelegram, SendRates{})
	now := start
	n := 0
	for ; now.Sub(start) < time.Minute; now = now.Add(time.Second) {
		if p.nextTime("-1", true, 1, now).IsZero() {
			p.begin("-1", now)
			p.end("-1", now, true)
			n++
		}
	}
	if n != 17 {
		t.Errorf("a growing reply took %d places of a group's 20 in a minute, want 17", n)
	}
}

func TestPace_ForgetsQuietChats(t *testing.T) {
	p, now := newPace(supervisor.ChannelTelegram, SendRates{}), start
	for range 100 {
		p.begin(now.String(), now)
		p.end(now.String(), now, true)
		now = now.Add(time.Minute)
	}
	if len(p.chats) > 1 {
		t.Errorf("%d chats are remembered", len(p.chats))
	}
}
