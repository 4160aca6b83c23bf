package outbox_test

import (
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

// quiet fails the test if a chat ("*" means any) got a call between two moments.
func (h *rig) quiet(chat string, from, to time.Time) {
	h.Helper()
	for _, c := range h.channel.made(chat, "send", "edit", "delete", "typing") {
		if c.at.After(from) && c.at.Before(to) {
			h.Errorf("%s in chat %s, %v within a freeze", c.verb, c.to.Chat, c.at.Sub(from))
		}
	}
}

func TestFreeze_OfAllChats_SendsNothing(t *testing.T) {
	for name, verb := range map[string]string{"after a send": "send", "after an edit": "edit", "after typing": "typing"} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				var from time.Time
				h.channel.script = func(c called) (bool, *supervisor.SendError) {
					if c.verb != verb || c.nth != 1 {
						return true, nil
					}
					from = time.Now()
					return false, flood(37 * time.Second)
				}
				end := h.live()
				turn := h.begin(h.conversation("alice", alice))
				turn.say("hello")
				for range 5 {
					pass(time.Second)
					turn.say(" you")
				}
				frozen := h.box.Status().Frozen
				h.same("frozen", frozen, map[string]time.Time{alice: from.Add(37 * time.Second).Truncate(time.Millisecond)})
				end() // the next process keeps the freeze, too
				h.live()
				turn.say(" there")
				pass(5 * time.Second)
				turn.finish()
				pass(time.Minute)
				h.quiet(alice, from, from.Add(37*time.Second))
				h.same("chat", h.channel.texts(alice), []string{turn.said})
				h.same("frozen", len(h.box.Status().Frozen), 0)
			})
		})
	}
}

func TestFreeze_OfOneChat_SendsToOtherChats(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = func(c called) (bool, *supervisor.SendError) {
			if c.to.Chat == alice && c.nth == 1 {
				return false, flood(time.Minute)
			}
			return true, nil
		}
		h.live()
		h.notice(h.conversation("alice", alice), "one")
		pass(5 * time.Second)
		h.notice(h.conversation("bob", "43"), "two")
		pass(time.Second)
		h.same("bob", h.channel.texts("43"), []string{"two"})
		h.same("alice", h.channel.texts(alice), []string(nil))
		pass(time.Minute)
		h.same("alice", h.channel.texts(alice), []string{"one"})
	})
}

func TestFlood_OfTwoChatsInASecond_FreezesAllChats(t *testing.T) {
	inBubble(t, func(h *rig) {
		var from time.Time
		h.channel.latency = 10 * time.Millisecond
		h.channel.script = func(c called) (bool, *supervisor.SendError) {
			if c.to.Chat == "third" || c.nth > 1 {
				return true, nil
			}
			from = time.Now()
			return false, flood(time.Minute)
		}
		end := h.live()
		h.notice(h.conversation("alice", alice), "one")
		h.notice(h.conversation("bob", "43"), "two")
		pass(time.Second)
		end()
		h.live()
		h.notice(h.conversation("carol", "third"), "three")
		pass(2 * time.Minute)
		h.quiet("*", from, from.Add(time.Minute))
		for chat, want := range map[string]string{alice: "one", "43": "two", "third": "three"} {
			h.same(chat, h.channel.texts(chat), []string{want})
		}
	})
}

func TestFlood_FullWindow_FreezesAllChats(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = once("send", 1, false, flood(time.Minute))
		h.live(func(o *outbox.Options) { o.Rates.All = 1 })
		h.notice(h.conversation("alice", alice), "one")
		pass(time.Second)
		_, all := h.box.Status().Frozen[""]
		h.same("all are frozen", all, true)
		pass(2 * time.Minute)
		h.same("chat", h.channel.texts(alice), []string{"one"})
	})
}

func TestManyMessages_KeepOrderAndPace(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.latency = 20 * time.Millisecond
		chats := []string{alice, "43", "44", club, "45", "46", "47"}
		want := map[string][]string{}
		for i := range 25 {
			for _, chat := range chats {
				text := words(5 + i)
				h.notice(h.conversation("user"+chat, chat), text)
				want[chat] = append(want[chat], text)
			}
		}
		h.live(func(o *outbox.Options) { o.Rates.All = 5 })
		pass(5 * time.Minute)
		for _, chat := range chats {
			h.same(chat, h.channel.texts(chat), want[chat])
			h.paced(chat, 3, 3*time.Second)
		}
		h.paced(club, 20, time.Minute)
		h.paced("*", 5, time.Second)
		h.fair(chats, 2*5)
	})
}

// fair checks that chats take turns if they share the limit of all chats. Each chat must be among
// the first n sends. Two windows allow n sends.
func (h *rig) fair(chats []string, n int) {
	h.Helper()
	turns := map[string]int{}
	for _, c := range h.channel.made("*", "send")[:n] {
		turns[c.to.Chat]++
	}
	for _, chat := range chats {
		if turns[chat] < 1 || turns[chat] > 2 {
			h.Errorf("chat %s has %d of the first %d sends", chat, turns[chat], n)
		}
	}
}

// paced fails the test if more than n counted calls to a chat were made in any span of that length.
func (h *rig) paced(chat string, n int, span time.Duration) {
	h.Helper()
	verbs := []string{"send", "edit", "delete"}
	if chat == "*" {
		verbs = append(verbs, "typing")
	}
	calls := h.channel.made(chat, verbs...)
	for i := n; i < len(calls); i++ {
		if gap := calls[i].at.Sub(calls[i-n].at); gap < span {
			h.Errorf("chat %s: %d calls within %v", chat, n+1, gap)
		}
	}
}
