package outbox_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

func TestFullDisk_LosesNothing(t *testing.T) {
	for _, what := range []string{"pending", "untold", "list", "open", "sending", "settle", "close", "freeze", "get"} {
		t.Run(what, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				full, tries := true, 0
				l := &process{fails: func(call string) error {
					if call != what || !full {
						return nil
					}
					tries++
					return errors.New("the disk is full")
				}}
				if what == "freeze" {
					h.channel.script = once("send", 1, false, flood(time.Second))
				}
				h.liveAs(l)
				synctest.Wait() // the outbox finds the deliveries from before its start
				text := words(room + 20)
				h.notice(h.conversation("alice", alice), text)
				pass(time.Minute)
				if tries == 0 || tries > 100 {
					t.Errorf("tried %d times in a minute", tries)
				}
				l.mu.Lock()
				full = false
				l.mu.Unlock()
				pass(time.Minute)
				h.same("chat", strings.Join(h.channel.texts(alice), ""), text)
				h.same("waiting", h.waiting(alice), 0)
			})
		})
	}
}

func TestLastPost_IsStoredWithEndOfDelivery(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		full  bool // whether no delivery can be closed at first
		wants string
	}{
		"one part":                       {"hello", false, "sending close"},
		"two parts":                      {words(room + 20), false, "open sending settle sending close"},
		"the end can't be kept at first": {"hello", true, "sending close settle close"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				l := &process{fails: func(call string) error {
					if call == "close" && c.full {
						c.full = false
						return errors.New("the disk is full")
					}
					return nil
				}}
				writes := l.writes()
				h.liveAs(l)
				h.notice(h.conversation("alice", alice), c.text)
				pass(time.Minute)
				h.same("written", writes(), c.wants)
				h.same("chat", strings.Join(h.channel.texts(alice), ""), c.text)
				h.same("waiting", h.waiting(alice), 0)
			})
		})
	}
}

func TestOutboxStop_CallUnderWay_IsRecorded(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.latency = 3 * time.Second
		end := h.live()
		c := h.conversation("alice", alice)
		h.notice(c, "one")
		h.notice(c, "two")
		pass(time.Second)
		end()
		h.same("chat", h.channel.texts(alice), []string{"one"})
		h.live()
		pass(10 * time.Second)
		h.same("chat", h.channel.texts(alice), []string{"one", "two"})
	})
}

func TestOutboxStop_SlowCall_IsCancelled(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.latency = 30 * time.Second
		end := h.live()
		h.notice(h.conversation("alice", alice), "one")
		pass(time.Second)
		begun := time.Now()
		end()
		if took := time.Since(begun); took > 6*time.Second {
			t.Errorf("the end took %v", took)
		}
		h.channel.latency = 0
		h.live()
		pass(10 * time.Second)
		h.same("chat", h.channel.texts(alice), []string{repeatMark + "one"})
	})
}

func TestRun_UnreadableStore_Fails(t *testing.T) {
	for _, what := range []string{"due", "frozen"} {
		inBubble(t, func(h *rig) {
			l := &process{fails: func(call string) error {
				if call == what {
					return errors.New("the disk is gone")
				}
				return nil
			}}
			err := outbox.New(h.options(l)).Run(context.Background())
			if err == nil || !strings.Contains(err.Error(), "the disk is gone") {
				t.Errorf("%s: got %v", what, err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if err := outbox.New(h.options(l)).Run(ctx); err != nil {
				t.Errorf("%s, at the end: got %v", what, err)
			}
		})
	}
}

// TestMovedChat_SendUnderWay_IsNotRepeated learns a chat's new name before a call to the old name
// has ended. No other queue may treat that call as lost.
func TestMovedChat_SendUnderWay_IsNotRepeated(t *testing.T) {
	inBubble(t, func(h *rig) {
		const there = "-7"
		h.channel.latency = 3 * time.Second
		h.channel.script = func(c called) (bool, *supervisor.SendError) {
			if c.to.Chat == club {
				return false, &supervisor.SendError{Result: supervisor.SendResultUnsent,
					Reason: supervisor.SendReasonChatMoved, MovedTo: there, Err: errFar}
			}
			return true, nil
		}
		h.live()
		c := h.conversation("alice", club)
		h.notice(c, "one")
		pass(time.Second)
		n, err := h.db.Conversations().RenameChat(h.Context(), supervisor.ChannelTelegram, club, there)
		h.same("moved", must(h, n, err), 1)
		h.box.NotifyChatMove(club, there)
		pass(time.Minute)
		h.same("there", h.channel.texts(there), []string{"one"})
		h.same("left", h.waiting(club)+h.waiting(there), 0)
	})
}

func TestNotifyChatMove_ContinuesUnderNewName(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = func(c called) (bool, *supervisor.SendError) {
			if c.to.Chat == club {
				return false, afterUnsent()
			}
			return true, nil
		}
		h.live()
		c := h.conversation("alice", club)
		h.notice(c, "one")
		turn := h.begin(c)
		turn.say("two")
		pass(10 * time.Second)
		n, err := h.db.Conversations().RenameChat(h.Context(), supervisor.ChannelTelegram, club, "-7")
		h.same("moved", must(h, n, err), 1)
		h.box.NotifyChatMove(club, "-7")
		pass(10 * time.Second)
		turn.finish()
		pass(10 * time.Second)
		h.same("there", h.channel.texts("-7"), []string{"one", "two"})
	})
}
