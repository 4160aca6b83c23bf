package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

// startCleaner runs the cleaner of a process's outbox, at most until the end of the test.
func (h *rig) startCleaner(l *process) (c *outbox.MessageCleaner, end func()) {
	h.Helper()
	c = h.box.NewMessageCleaner(cleanupStore{killableStore{h.db, l}})
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- c.Run(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-ran; err != nil && !l.ended() {
			h.Error(err)
		}
	})
	h.Cleanup(end)
	return c, end
}

// putCleaning stores a cleaning of a message.
func (h *rig) putCleaning(c supervisor.Conversation, what supervisor.MessageCleanupKind, message string,
	in time.Duration) {
	h.Helper()
	err := h.db.MessageCleanups().Put(h.Context(), supervisor.MessageCleanup{Conversation: c, Message: message,
		Kind: what, Due: time.Now().Add(in)})
	must(h, 0, err)
}

// cleanings counts the cleanings on disk.
func (h *rig) cleanings() int {
	h.Helper()
	list, err := h.db.MessageCleanups().ListDue(h.Context(), supervisor.ChannelTelegram, time.Now().Add(1000*time.Hour),
		1000)
	return len(must(h, list, err))
}

func TestCleaner_DeletesOnlyExpiredMessages(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		h.startCleaner(&process{})
		c := h.conversation("alice", alice)
		h.say(supervisor.Delivery{Conversation: c, Text: words(room + 5), Files: files("qr"), DeleteAfter: 10 * time.Minute})
		h.notice(c, "stays")
		pass(10*time.Minute - time.Second)
		h.same("before", len(h.channel.rendered(alice)), 4)
		pass(time.Minute)
		h.same("after", h.channel.rendered(alice), []string{"stays"})
		h.same("left", h.cleanings(), 0)
	})
}

func TestCleaner_RemovesAnsweredButtons(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		cleaner, _ := h.startCleaner(&process{})
		c := h.conversation("alice", alice)
		h.say(supervisor.Delivery{Conversation: c, Text: "Go on?", Buttons: yesNo})
		pass(10 * time.Second)
		h.same("asked", h.channel.rendered(alice), []string{"Go on? <yes> <no>"})
		h.putCleaning(c, supervisor.CleanupRemoveButtons, "1", 0)
		cleaner.NotifyNewCleanup()
		synctest.Wait()
		h.same("answered", h.channel.rendered(alice), []string{"Go on?"})
		h.same("left", h.cleanings(), 0)
	})
}

func TestCleaner_FailedCall_RetriesOrGivesUp(t *testing.T) {
	for name, test := range map[string]struct {
		script func(called) (bool, *supervisor.SendError)
		within time.Duration
		calls  int
		left   int
		shown  int
	}{
		"well":                    {nil, time.Second, 1, 0, 0},
		"not sent":                {once("delete", 1, false, afterUnsent()), 2 * time.Second, 2, 0, 0},
		"of a fate not known":     {once("delete", 1, true, unknown()), 2 * time.Second, 2, 0, 0},
		"not before the flood is": {once("delete", 1, false, flood(time.Minute)), 59 * time.Second, 1, 1, 1},
		"after the flood":         {once("delete", 1, false, flood(time.Minute)), 62 * time.Second, 2, 0, 0},
		"refused":                 {always("delete", refused("")), time.Hour, 1, 0, 1},
		"in a chat that moved": {always("delete", &supervisor.SendError{Result: supervisor.SendResultUnsent,
			Reason: supervisor.SendReasonChatMoved, MovedTo: "-7", Err: errFar}), time.Hour, 1, 0, 1},
		"an error of no kind": {once("delete", 1, false, &supervisor.SendError{Err: errFar}), 2 * time.Second, 2, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.live()
				c := h.conversation("alice", alice)
				h.notice(c, "secret")
				pass(10 * time.Second)
				h.channel.script = test.script
				h.putCleaning(c, supervisor.CleanupDelete, "1", 0)
				h.startCleaner(&process{})
				pass(test.within)
				h.same("calls", len(h.channel.made(alice, "delete")), test.calls)
				h.same("left", h.cleanings(), test.left)
				h.same("shown", len(h.channel.rendered(alice)), test.shown)
			})
		})
	}
}

func TestCleaner_AfterTwoDays_GivesUp(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = always("delete", afterUnsent())
		h.live()
		h.putCleaning(h.conversation("alice", alice), supervisor.CleanupDelete, "1", 0)
		h.startCleaner(&process{})
		pass(47 * time.Hour)
		h.same("left", h.cleanings(), 1)
		tries := h.channel.made(alice, "delete")
		if n := len(tries); n < 47*45 || n > 47*80 {
			t.Errorf("tried %d times in 47 h", n)
		}
		if gap := tries[1].at.Sub(tries[0].at); gap < 700*time.Millisecond || gap > 1300*time.Millisecond {
			t.Errorf("the second try came %v after the first", gap)
		}
		pass(time.Hour + 2*time.Minute)
		h.same("left in the end", h.cleanings(), 0)
	})
}

// TestCleaner_OneFailure_DelaysNoOtherChange checks that a failed cleaning delays other cleanings
// by only one try.
func TestCleaner_OneFailure_DelaysNoOtherChange(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = func(c called) (bool, *supervisor.SendError) {
			if c.to.Chat == alice {
				return false, afterUnsent()
			}
			return true, nil
		}
		h.live()
		h.putCleaning(h.conversation("alice", alice), supervisor.CleanupDelete, "1", 0)
		for i := range 5 {
			h.putCleaning(h.conversation("bob", "43"), supervisor.CleanupDelete, fmt.Sprint(i+1), time.Millisecond)
		}
		h.startCleaner(&process{})
		pass(20 * time.Second)
		h.same("bob's", len(h.channel.made("43", "delete")), 5)
		h.same("left", h.cleanings(), 1)
	})
}

func TestCleaner_ObeysPaceAndFreezes(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		c := h.conversation("alice", club)
		for i := range 250 { // enough for several batches
			h.putCleaning(c, supervisor.CleanupRemoveButtons, fmt.Sprint(i+1), 0)
		}
		for i := range 40 {
			user := fmt.Sprint("user", i)
			h.putCleaning(h.conversation(user, fmt.Sprint(1000+i)), supervisor.CleanupDelete, "1", 0)
		}
		h.startCleaner(&process{})
		pass(20 * time.Minute)
		h.same("left", h.cleanings(), 0)
		h.same("of the club", len(h.channel.made(club, "unbutton")), 250)
		calls := h.channel.made("*", "unbutton", "delete")
		for i := 20; i < 250; i++ {
			if of := h.channel.made(club, "unbutton"); of[i].at.Sub(of[i-20].at) < time.Minute {
				t.Fatal("more than twenty of a group's in a minute")
			}
		}
		for i := 30; i < len(calls); i++ {
			if calls[i].at.Sub(calls[i-30].at) < time.Second {
				t.Fatal("more than thirty in a second")
			}
		}
	})
}

// TestCleaner_WaitsForStoredFreeze checks that a freeze from an earlier process also holds for this
// process's cleaner.
func TestCleaner_WaitsForStoredFreeze(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.putCleaning(h.conversation("alice", alice), supervisor.CleanupDelete, "1", 0)
		must(h, 0, h.db.Outbox().StoreChatFreeze(h.Context(), source, alice, time.Now().Add(time.Minute)))
		h.box = outbox.New(h.options(&process{}))
		h.startCleaner(&process{})
		pass(59 * time.Second)
		h.same("in the freeze", len(h.channel.made(alice, "delete")), 0)
		pass(time.Minute + time.Second)
		h.same("after it", len(h.channel.made(alice, "delete")), 1)
		h.same("left", h.cleanings(), 0)
	})
}

// TestCleaner_Killed_ContinuesAfterRestart kills the process after each of its calls of the store;
// the next process continues.
func TestCleaner_Killed_ContinuesAfterRestart(t *testing.T) {
	for left := 1; left < 12; left++ {
		inBubble(t, func(h *rig) {
			h.live()
			c := h.conversation("alice", alice)
			h.notice(c, "one")
			h.notice(c, "two")
			pass(10 * time.Second)
			h.putCleaning(c, supervisor.CleanupDelete, "1", 0)
			h.putCleaning(c, supervisor.CleanupDelete, "2", time.Minute)
			l := &process{left: left}
			_, end := h.startCleaner(l)
			pass(2 * time.Minute)
			end()
			h.startCleaner(&process{})
			pass(2 * time.Minute)
			h.same(fmt.Sprintf("after %d calls", left), h.channel.rendered(alice), []string(nil))
			h.same("left", h.cleanings(), 0)
		})
	}
}

func TestCleaner_StoreFails_RetriesLater(t *testing.T) {
	for _, what := range []string{"due cleanings", "next cleaning", "done cleaning"} {
		t.Run(what, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.live()
				tries, full := 0, true
				l := &process{fails: func(call string) error {
					if call != what || !full {
						return nil
					}
					tries++
					return errors.New("the disk is full")
				}}
				c := h.conversation("alice", alice)
				h.putCleaning(c, supervisor.CleanupDelete, "1", 0)
				h.startCleaner(l)
				pass(time.Minute)
				if tries == 0 || tries > 30 {
					t.Errorf("tried %d times in a minute", tries)
				}
				l.mu.Lock()
				full = false
				l.mu.Unlock()
				pass(time.Minute)
				h.same("left", h.cleanings(), 0)
			})
		})
	}
}

// TestCleaner_WithoutWork_CallsNothing checks that a cleaner without work reads the clock once a
// minute, and makes no other call.
func TestCleaner_WithoutWork_CallsNothing(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		looks := 0
		l := &process{fails: func(string) error { looks++; return nil }}
		h.putCleaning(h.conversation("alice", alice), supervisor.CleanupDelete, "1", 10*time.Hour)
		h.startCleaner(l)
		pass(time.Hour)
		if looks > 2*61 {
			t.Errorf("it looked %d times in an hour", looks)
		}
		h.same("calls", len(h.channel.made(alice, "delete")), 0)
	})
}

func TestCleaner_MarksSupersededAnswer(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		cleaner, _ := h.startCleaner(&process{})
		c := h.conversation("alice", alice)
		h.notice(c, "Done.")
		pass(10 * time.Second)
		marked := supervisor.RichText{Text: "Done."}.AppendNote("(Answered anew below.)", 4096)
		must(h, 0, h.db.MessageCleanups().Put(h.Context(), supervisor.MessageCleanup{Conversation: c, Message: "1",
			Kind: supervisor.CleanupEdit, Content: marked}))
		cleaner.NotifyNewCleanup()
		synctest.Wait()
		h.same("marked", h.channel.rendered(alice), []string{"Done.\n\n(Answered anew below.)"})
		h.same("left", h.cleanings(), 0)
	})
}
