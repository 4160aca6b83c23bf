package outbox_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

// TestOutage_EverythingArrivesOnce covers sends with an unknown result, as after a gateway error.
// Each send is repeated once, and only after the channel has answered again.
func TestOutage_EverythingArrivesOnce(t *testing.T) {
	for _, d := range []time.Duration{2 * time.Second, 20 * time.Second, 2 * time.Hour, 23 * time.Hour} {
		t.Run(d.String(), func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.channel.script = away(d, unknown())
				h.live()
				h.notice(h.conversation("alice", alice), "hello")
				h.notice(h.conversation("alice", alice), "and more")
				turn := h.begin(h.conversation("bob", club))
				turn.say("an answer")
				pass(time.Second)
				turn.finish()
				pass(d + 80*time.Second)
				h.same("alice", h.channel.texts(alice), []string{repeatMark + "hello", "and more"})
				h.same("club", h.channel.texts(club), []string{repeatMark + "an answer"})
				h.same("lost", h.lost(), "")
				h.same("sends", h.channel.verbs(alice)+", "+h.channel.verbs(club), "send send send, send send")
			})
		})
	}
}

// TestOutage_BeginsMidway_LosesNothing checks that an earlier answer of the channel does not prove
// that it answers now.
func TestOutage_BeginsMidway_LosesNothing(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		turn := h.begin(h.conversation("alice", alice))
		h.notice(turn.Conversation, "before")
		pass(10 * time.Second)
		h.channel.script = away(20*time.Second, unknown())
		h.notice(turn.Conversation, "hello")
		pass(time.Minute)
		turn.finishWith("done")
		pass(time.Second)
		h.same("chat", h.channel.texts(alice), []string{"before", repeatMark + "hello", "done"})
	})
}

func TestSend_UnknownAtCrash_RepeatsWhenReachable(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.latency = 30 * time.Second
		end := h.live()
		h.notice(h.conversation("alice", alice), "hello")
		pass(time.Second)
		end()
		h.channel.latency, h.channel.script = 0, away(time.Hour, unknown())
		h.live()
		pass(time.Hour + 80*time.Second)
		h.same("chat", h.channel.texts(alice), []string{repeatMark + "hello"})
	})
}

func TestRetry_AfterOneDay_Ends(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = away(25*time.Hour, unknown())
		h.live()
		c := h.conversation("alice", alice)
		h.notice(c, "hello")
		pass(24*time.Hour + 2*time.Minute)
		h.same("lost", h.lost(), "unknown 1: the chat could not be reached for 24 h: far away\n")
		h.same("sends", h.channel.verbs(alice), "send")
		h.same("troubles", h.box.Status().Troubles, []outbox.ChatTrouble(nil))
		pass(time.Hour)
		n, err := h.db.Outbox().ResendUndelivered(h.Context(), c.ID, 10)
		h.same("sent again", must(h, n, err), 1)
		h.feeds.NotifyDelivery(c.ID)
		pass(time.Minute)
		h.same("chat", h.channel.texts(alice), []string{repeatMark + "hello"})
		h.same("lost", h.lost(), "")
	})
}

// TestRepeat_TypingRefused_IsStillSent checks that a refusal of typing counts as an answer of the
// channel, so that the repeat is sent.
func TestRepeat_TypingRefused_IsStillSent(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = func(c called) (bool, *supervisor.SendError) {
			if c.verb == "typing" {
				return false, refused("")
			}
			return once("send", 1, false, unknown())(c)
		}
		h.live()
		h.notice(h.conversation("alice", alice), "hello")
		pass(2 * time.Second)
		h.same("chat", h.channel.texts(alice), []string{repeatMark + "hello"})
	})
}

func TestReachedChat_EndsWaitOfOtherChats(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.latency = 20 * time.Millisecond
		h.channel.script = away(2*time.Hour, afterUnsent())
		h.live(func(o *outbox.Options) { o.Rates.All = 5 })
		for i := range 15 {
			h.notice(h.conversation("alice", fmt.Sprint(i)), "hello")
			pass(7 * time.Second)
		}
		pass(2*time.Hour + 90*time.Second)
		var arrived []time.Time
		for i := range 15 {
			h.same("chat", h.channel.texts(fmt.Sprint(i)), []string{"hello"})
			calls := h.channel.made(fmt.Sprint(i), "send")
			arrived = append(arrived, calls[len(calls)-1].at)
		}
		first, last := arrived[0], arrived[0]
		for _, at := range arrived {
			if at.Before(first) {
				first = at
			}
			if at.After(last) {
				last = at
			}
		}
		if d := last.Sub(first); d > 5*time.Second {
			t.Errorf("the last chat waited %v longer than the first", d)
		}
		h.paced("*", 5, time.Second)
	})
}

// TestNotifyChannelReachable_EndsAllWaits checks that the next try comes at once after the poll has
// reached the channel. Only a wait that the channel asked for still holds.
func TestNotifyChannelReachable_EndsAllWaits(t *testing.T) {
	for name, test := range map[string]struct {
		failure *supervisor.SendError
		waits   time.Duration // longest wait after the channel's return
	}{
		"it was away":      {afterUnsent(), 0},
		"it said how long": {flood(time.Hour), 50 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.channel.script = func(called) (bool, *supervisor.SendError) { return false, test.failure }
				h.live()
				h.notice(h.conversation("alice", alice), "hello")
				pass(10 * time.Minute)
				h.channel.script = nil
				back := time.Now()
				h.box.NotifyChannelReachable()
				pass(time.Hour)
				tries := h.channel.made(alice, "send")
				waited := tries[len(tries)-1].at.Sub(back)
				if waited < test.waits || waited > test.waits+time.Second || h.channel.texts(alice)[0] != "hello" {
					t.Errorf("it went %v after the channel was back, want %v", waited, test.waits)
				}
			})
		})
	}
}

// TestFailingChat_OtherChatsWork_IsTriedRarely checks that a chat stays in trouble although sends
// to other chats succeed.
func TestFailingChat_OtherChatsWork_IsTriedRarely(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = func(c called) (bool, *supervisor.SendError) {
			return c.to.Chat != alice, errorIf(c.to.Chat == alice, afterUnsent())
		}
		h.live()
		h.notice(h.conversation("alice", alice), "hello")
		for range 300 {
			h.notice(h.conversation("bob", "43"), "hello")
			pass(2 * time.Second)
		}
		if n := len(h.channel.made(alice, "send")); n < 10 || n > 30 {
			t.Errorf("tried %d times in ten minutes", n)
		}
	})
}

// errorIf returns err if so is true, and nil otherwise.
func errorIf(so bool, err *supervisor.SendError) *supervisor.SendError {
	if so {
		return err
	}
	return nil
}

func TestFailingDelivery_OthersArrive_Ends(t *testing.T) {
	poison := func(c called) bool { return strings.HasPrefix(c.content.Text, "poison") }
	const why = "failed 1: the channel took other messages but not this one: far away\n"
	for name, test := range map[string]struct {
		script func(called) (bool, *supervisor.SendError)
		busy   int // minutes between messages in another chat; 0 means none
		want   string
	}{
		"typing goes": {func(c called) (bool, *supervisor.SendError) { return false, errorIf(poison(c), afterUnsent()) }, 0, why},
		"another chat goes": {func(c called) (bool, *supervisor.SendError) {
			return false, errorIf(poison(c) || c.verb == "typing", afterUnsent())
		}, 1, why},
		"others go once in a while": {func(c called) (bool, *supervisor.SendError) {
			return false, errorIf(c.to.Chat == alice, afterUnsent())
		}, 7, ""},
		"nothing goes": {func(c called) (bool, *supervisor.SendError) { return false, errorIf(c.to.Chat == alice, afterUnsent()) }, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.channel.script = func(c called) (bool, *supervisor.SendError) {
					_, err := test.script(c)
					return err == nil, err
				}
				h.live()
				h.notice(h.conversation("alice", alice), "poison")
				h.notice(h.conversation("alice", alice), "after it")
				for i := range 120 {
					if test.busy > 0 && i%test.busy == 0 {
						h.notice(h.conversation("bob", "43"), "hello")
					}
					if i == 14 {
						h.same("lost within a quarter of an hour", h.lost(), "")
					}
					pass(time.Minute)
				}
				h.same("lost", h.lost(), test.want)
				if test.want != "" {
					h.same("chat", h.channel.texts(alice), []string{"after it", textApology})
				}
			})
		})
	}
}

func TestFailingEdit_EndsAfterRetries(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = always("edit", afterUnsent())
		h.live()
		turn := h.begin(h.conversation("alice", alice))
		turn.say("hello")
		pass(3 * time.Second)
		turn.finishWith("hello you")
		pass(20 * time.Minute)
		h.same("lost", h.lost(), "failed 1: the channel took other messages but not this one: far away\n")
	})
}

func TestAlarm_IsRaisedOnce(t *testing.T) {
	for name, test := range map[string]struct {
		away  time.Duration
		well  string // the chat to which sends succeed
		alarm bool
	}{
		"an outage":       {30 * time.Minute, "none", true},
		"a short one":     {9 * time.Minute, "none", false},
		"another goes on": {30 * time.Minute, "43", false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				var told []string
				out := away(test.away, afterUnsent())
				h.channel.script = func(c called) (bool, *supervisor.SendError) {
					if c.to.Chat == test.well {
						return true, nil
					}
					return out(c)
				}
				h.live(func(o *outbox.Options) {
					o.Alarm = func(text string) { told = append(told, "alarm: "+text) }
					o.Recovered = func(text string) { told = append(told, "recovered: "+text) }
				})
				for range 40 {
					h.notice(h.conversation("alice", alice), "hello")
					h.notice(h.conversation("bob", "43"), "hello")
					pass(time.Minute)
				}
				if !test.alarm {
					h.same("told", told, []string(nil))
					return
				}
				if len(told) != 2 {
					t.Fatalf("told %q", told)
				}
				h.same("alarm", told[0], "alarm: Since 2000-01-01 00:00 UTC no message could be sent to telegram: "+
					"the channel did not "+
					"take the message: far away. Mews keeps the messages and tries again for a day.")
				if !strings.HasPrefix(told[1], "recovered: Messages to telegram can be sent again, after 3") {
					t.Errorf("told %q", told[1])
				}
			})
		})
	}
}

func TestStatus_ListsTroubles(t *testing.T) {
	inBubble(t, func(h *rig) {
		out := away(10*time.Minute, unknown())
		h.channel.script = func(c called) (bool, *supervisor.SendError) {
			if c.to.Chat == alice {
				return out(c)
			}
			return true, nil
		}
		h.live()
		begun := time.Now()
		h.notice(h.conversation("alice", alice), "hello")
		h.notice(h.conversation("alice", "43"), "hello")
		for range 200 {
			h.notice(h.conversation("alice", alice), "more")
		}
		turn := h.begin(h.conversation("alice", alice)) // the running turn keeps the queue alive
		pass(5 * time.Minute)
		troubles := h.box.Status().Troubles
		if len(troubles) != 1 {
			t.Fatalf("got %+v", troubles)
		}
		got := troubles[0]
		now := time.Now()
		if got.Since.Sub(begun) > time.Second || got.Until.Before(now) || got.Until.After(now.Add(75*time.Second)) {
			t.Errorf("got %+v, now %v", got, now)
		}
		got.Since, got.Until = time.Time{}, time.Time{}
		want := outbox.ChatTrouble{Chat: alice, Error: "Mews does not know whether the channel took the message: " +
			"far away"}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		pass(6*time.Minute + 15*time.Second)
		h.same("some wait, as the pace has it", h.waiting(alice) > 0, true)
		h.same("troubles", h.box.Status().Troubles, []outbox.ChatTrouble(nil))
		pass(10 * time.Minute)
		turn.finishWith("done")
	})
}

func TestStatus_ListsStoreErrors(t *testing.T) {
	for _, what := range []string{"pending", "settle or close"} {
		t.Run(what, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				full := time.Now().Add(time.Minute)
				h.liveAs(&process{fails: func(call string) error {
					if strings.Contains(what, call) && time.Now().Before(full) {
						return errors.New("the disk is full")
					}
					return nil
				}})
				turn := h.begin(h.conversation("alice", alice)) // the running turn keeps the queue alive
				h.notice(h.conversation("alice", alice), "hello")
				pass(30 * time.Second)
				troubles := h.box.Status().Troubles
				if len(troubles) != 1 || !strings.HasSuffix(troubles[0].Error, ": the disk is full") {
					t.Errorf("got %+v", troubles)
				}
				pass(time.Minute)
				h.same("troubles", h.box.Status().Troubles, []outbox.ChatTrouble(nil))
				turn.finishWith("done")
				pass(time.Minute)
				h.same("chat", h.channel.texts(alice), []string{"hello", "done"})
			})
		})
	}
}
