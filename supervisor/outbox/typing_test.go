package outbox_test

import (
	"context"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

// muteChannel is a channel whose typing calls never return.
type muteChannel struct{ *fakeChannel }

func (m muteChannel) SendChatAction(ctx context.Context, to supervisor.PostAddress,
	action supervisor.ChatAction) error {
	_ = m.fakeChannel.SendChatAction(ctx, to, action)
	<-ctx.Done()
	return &supervisor.SendError{Result: supervisor.SendResultUnknown, Err: context.Cause(ctx)}
}

func TestAnswer_DoesNotWaitForTyping(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live(func(o *outbox.Options) { o.Channel = muteChannel{h.channel} })
		turn := h.begin(h.conversation("alice", alice))
		pass(500 * time.Millisecond)
		h.same("typing", len(h.channel.made(alice, "typing")), 1)
		ended := time.Now()
		turn.finishWith("done")
		pass(time.Minute)
		h.same("chat", h.channel.texts(alice), []string{"done"})
		if d := h.firstSend(alice).Sub(ended); d > 10*time.Millisecond {
			t.Errorf("the answer waited %v", d)
		}
	})
}

func TestTypingCall_DelaysOtherCallsAtMostASecond(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live(func(o *outbox.Options) { o.Channel = muteChannel{h.channel} })
		c := h.conversation("alice", alice)
		turn := h.begin(c)
		pass(300 * time.Millisecond)
		put := time.Now()
		h.notice(c, "a command's answer")
		pass(30 * time.Second)
		if d := h.firstSend(alice).Sub(put); d > 1100*time.Millisecond {
			t.Errorf("it waited %v", d)
		}
		h.same("typing that hangs", len(h.channel.made(alice, "typing")), 2)
		turn.finishWith("done")
		pass(time.Second)
	})
}

// TestGrowingReply_DoesNotCutTyping checks that a typing call runs to its end, even if the model
// writes fast.
func TestGrowingReply_DoesNotCutTyping(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.latency = 700 * time.Millisecond
		h.live(final)
		turn := h.begin(h.conversation("alice", alice))
		for range 400 {
			turn.say("word ")
			pass(25 * time.Millisecond)
		}
		h.same("typing", len(h.channel.made(alice, "typing")), 3)
		turn.finishWith("done")
		pass(3 * time.Second)
		h.same("chat", h.channel.texts(alice), []string{"done"})
	})
}

// counted returns a process that counts its reads of deliveries.
func counted(n *int) *process {
	return &process{fails: func(call string) error {
		if call == "pending" {
			*n++
		}
		return nil
	}}
}

func TestGrowingReply_RarelyReadsTheStore(t *testing.T) {
	inBubble(t, func(h *rig) {
		asked := 0
		h.liveAs(counted(&asked))
		turn := h.begin(h.conversation("alice", alice))
		for range 1000 {
			turn.say("word ")
			pass(25 * time.Millisecond)
		}
		if asked > 60 {
			t.Errorf("the store was asked %d times in 25 seconds", asked)
		}
		ended := time.Now()
		turn.finishWith("done")
		pass(20 * time.Second)
		h.same("asked once more, to find that there is no other", asked < 64, true)
		edits := h.channel.made(alice, "edit", "delete")
		first := edits[len(edits)-len(h.channel.made(alice, "delete"))-1]
		if d := first.at.Sub(ended); d > 3*time.Second {
			t.Errorf("the answer came after %v", d)
		}
	})
}

// TestGrowingReply_HidesNoDelivery checks that a delivery is found at once, although a busy queue
// was only told of some change. The reply has grown too, which could be the whole change.
func TestGrowingReply_HidesNoDelivery(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.latency = 100 * time.Millisecond
		h.live(final)
		turn := h.begin(h.conversation("alice", alice))
		pass(4190 * time.Millisecond)
		h.feeds.NotifyDelivery(turn.Conversation.ID) // there is no delivery, but the queue must ask the store
		pass(60 * time.Millisecond)
		h.same("typing", len(h.channel.made(alice, "typing")), 2) // the second typing call lasts until 4.3 s
		put := time.Now()
		turn.AppendText("word ")
		h.notice(turn.Conversation, "a command's answer")
		pass(20 * time.Second)
		if d := h.firstSend(alice).Sub(put); d > 600*time.Millisecond {
			t.Errorf("it waited %v", d)
		}
		turn.finishWith("done")
		pass(time.Second)
	})
}

func TestCommand_IsAnsweredWhileReplyGrows(t *testing.T) {
	for name, test := range map[string]struct {
		pause  time.Duration // pause between two words
		within time.Duration
	}{
		"fast":  {20 * time.Millisecond, 600 * time.Millisecond},
		"slow":  {2 * time.Second, 10 * time.Millisecond},
		"quiet": {time.Hour, 10 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.live(final)
				c := h.conversation("alice", alice)
				turn := h.begin(c)
				said, stop := make(chan struct{}), make(chan struct{})
				go func() {
					defer close(said)
					for {
						select {
						case <-time.After(test.pause):
							turn.AppendText("word ")
						case <-stop:
							return
						}
					}
				}()
				pass(5*time.Second + time.Millisecond)
				put := time.Now()
				h.notice(c, "a command's answer")
				pass(5 * time.Second)
				if d := h.firstSend(alice).Sub(put); d > test.within {
					t.Errorf("it waited %v", d)
				}
				close(stop)
				<-said
				turn.finishWith("done")
				pass(time.Second)
				h.same("chat", h.channel.texts(alice), []string{"a command's answer", "done"})
			})
		})
	}
}

// firstSend returns when the first message was sent to a chat.
func (h *rig) firstSend(chat string) time.Time {
	h.Helper()
	sends := h.channel.made(chat, "send")
	if len(sends) == 0 {
		h.Fatalf("nothing was sent to %s", chat)
	}
	return sends[0].at
}
