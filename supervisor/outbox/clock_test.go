package outbox_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

func TestFreeze_YearsAhead_IsIgnored(t *testing.T) {
	inBubble(t, func(h *rig) {
		if err := h.db.Outbox().StoreChatFreeze(h.Context(), source, alice, time.Now().AddDate(70, 0, 0)); err != nil {
			t.Fatal(err)
		}
		h.live()
		h.notice(h.conversation("alice", alice), "hello")
		pass(24*time.Hour - time.Minute)
		h.same("chat", h.channel.texts(alice), []string(nil))
		pass(2 * time.Minute)
		h.same("chat", h.channel.texts(alice), []string{"hello"})
	})
}

func TestClockChange_IsNoticedWithinAMinute(t *testing.T) {
	inBubble(t, func(h *rig) {
		var ahead atomic.Int64
		h.channel.script = once("send", 1, false, flood(20*time.Hour))
		h.live(func(o *outbox.Options) {
			o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		})
		h.notice(h.conversation("alice", alice), "hello")
		pass(90 * time.Second)
		ahead.Store(int64(20 * time.Hour))
		pass(61 * time.Second)
		h.same("chat", h.channel.texts(alice), []string{"hello"})
	})
}

func TestDelivery_ClockWasAhead_IsTriedForADay(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = away(100*time.Hour, afterUnsent())
		pass(1000 * time.Hour)
		h.channel.script = away(100*time.Hour, afterUnsent())
		h.notice(h.conversation("alice", alice), "hello")
		h.live(func(o *outbox.Options) { o.Now = func() time.Time { return time.Now().Add(-1000 * time.Hour) } })
		pass(24*time.Hour + 2*time.Minute)
		h.same("lost", h.lost(), "failed 1: the chat could not be reached for 24 h: far away\n")
	})
}

func TestFlood_OfGroups_FreezesNoOtherChat(t *testing.T) {
	for name, test := range map[string]struct {
		refused map[string]int // seconds that the flood error of a chat demands to wait, by chat
		all     time.Duration  // how long all chats are frozen; 0 means that they are not
	}{
		"two groups":            {map[string]int{"-1": 237, "-2": 237}, 0},
		"a group and a person":  {map[string]int{"-1": 237, "1": 30}, 0},
		"two persons":           {map[string]int{"1": 30, "2": 40}, 30 * time.Second},
		"three groups":          {map[string]int{"-1": 237, "-2": 126, "-3": 20}, 20 * time.Second},
		"two groups, one twice": {map[string]int{"-1": 1, "-2": 1}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.channel.script = func(c called) (bool, *supervisor.SendError) {
					if seconds, ok := test.refused[c.to.Chat]; ok && c.nth == 1 {
						return false, flood(time.Duration(seconds) * time.Second)
					}
					return true, nil
				}
				h.live()
				begun := time.Now()
				for chat := range test.refused {
					h.notice(h.conversation("someone", chat), "hello")
				}
				pass(500 * time.Millisecond)
				h.notice(h.conversation("alice", alice), "hello")
				pass(5 * time.Minute)
				if d := h.firstSend(alice).Sub(begun); d < test.all || d > test.all+time.Second {
					t.Errorf("alice waited %v, want %v", d, test.all)
				}
				for chat, seconds := range test.refused {
					first := h.firstSend(chat)
					h.quiet(chat, first, first.Add(time.Duration(seconds)*time.Second))
					h.same(fmt.Sprint("chat ", chat), h.channel.texts(chat), []string{"hello"})
				}
			})
		})
	}
}
