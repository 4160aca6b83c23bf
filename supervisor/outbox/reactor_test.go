package outbox_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

// react runs the outbox's reactor, at most until the end of the test.
func (h *rig) react(mode outbox.ReactionMode) (r *outbox.Reactor, end func()) {
	h.Helper()
	r = h.box.NewReactor(mode, h.db.Inbox(), h.channel)
	h.feeds.Changed = func(id int64) {
		h.box.NotifyChange(id)
		r.NotifyTurnChange()
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- r.Run(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-ran; err != nil {
			h.Error(err)
		}
	})
	h.Cleanup(end)
	return r, end
}

// arrive stores a new message and tells the reactor.
func (h *rig) arrive(r *outbox.Reactor, c supervisor.Conversation, message string) supervisor.Inbound {
	h.Helper()
	in, _, err := h.db.Inbox().StoreInbound(h.Context(), supervisor.Inbound{Conversation: c, Source: source,
		Key: message, Message: message,
		Kind: supervisor.KindText, Text: "hello"})
	must(h, in, err)
	r.NotifyNewMessage()
	return in
}

// takeUp begins the turn that answers a message.
func (h *rig) takeUp(in supervisor.Inbound) *turn {
	h.Helper()
	t, _, err := h.db.Turns().Start(h.Context(), in.ID, nil)
	must(h, t, err)
	return &turn{h: h, Turn: t, Stream: h.feeds.OpenStream(t, "")}
}

func TestReaction_ShownUntilTurnBegins(t *testing.T) {
	for mode, want := range map[outbox.ReactionMode][]string{
		outbox.ReactionModeWaiting: {"b 👀", "b"},
		outbox.ReactionModeAll:     {"a ✍", "b 👀", "a", "b ✍", "b"},
		outbox.ReactionModeOff:     nil,
	} {
		t.Run(string(mode), func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.live()
				r, _ := h.react(mode)
				c := h.conversation("alice", alice)
				first := h.takeUp(h.arrive(r, c, "a"))
				pass(3 * time.Second)
				next := h.arrive(r, c, "b")
				pass(3 * time.Second)
				first.finishWith("Done.")
				pass(500 * time.Millisecond)
				second := h.takeUp(next)
				pass(3 * time.Second)
				second.finishWith("Done too.")
				pass(3 * time.Second)
				h.same("reactions", h.channel.reactions(alice), want)
			})
		})
	}
}

// TestReaction_DelaysNoOtherCall checks that a message whose turn begins at once causes no call. A
// waiting message causes no call in its first second.
func TestReaction_DelaysNoOtherCall(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		r, _ := h.react(outbox.ReactionModeWaiting)
		c := h.conversation("alice", alice)
		turn := h.takeUp(h.arrive(r, c, "a"))
		pass(5 * time.Second)
		turn.finishWith("Done.")
		pass(5 * time.Second)
		h.same("reactions", h.channel.reactions(alice), []string(nil))
		began := time.Now()
		h.arrive(r, c, "b")
		pass(5 * time.Second)
		if at := h.channel.made(alice, "react")[0].at.Sub(began); at < time.Second {
			t.Errorf("it came after %v", at)
		}
	})
}

// TestReaction_FailedCall_IsRetriedOrDropped checks that a freeze stops reactions, too. After a
// refusal a chat gets no further reactions. Reactions do not count in a group's pace.
func TestReaction_FailedCall_IsRetriedOrDropped(t *testing.T) {
	for name, test := range map[string]struct {
		script func(called) (bool, *supervisor.SendError)
		want   []string
	}{
		"a freeze":       {once("send", 1, false, flood(time.Minute)), []string{"b 👀"}},
		"refused":        {once("react", 1, false, refused("")), []string{"b 👀"}},
		"a message gone": {once("react", 1, false, refused(supervisor.SendReasonMessageGone)), []string{"b 👀", "b 👀"}},
		"unsent":         {once("react", 1, false, afterUnsent()), []string{"b 👀", "b 👀"}},
		"too many":       {once("react", 1, false, flood(time.Minute)), []string{"b 👀", "b 👀"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.channel.script = test.script
				h.live()
				r, _ := h.react(outbox.ReactionModeWaiting)
				c := h.conversation("alice", club)
				h.notice(c, "hello")
				pass(100 * time.Millisecond)
				began := time.Now()
				h.arrive(r, c, "b")
				pass(2 * time.Minute)
				h.arrive(r, c, "c")
				pass(2 * time.Minute)
				var got []string
				for _, at := range h.channel.made(club, "react") {
					if at.message == "b" {
						got = append(got, at.message+" "+at.content.Text)
					}
				}
				h.same("reactions", got[:min(len(got), 2)], test.want)
				if name == "a freeze" && h.channel.made(club, "react")[0].at.Sub(began) < 59*time.Second {
					t.Error("it came within the freeze")
				}
				if name == "refused" && len(h.channel.reactions(club)) != 1 {
					t.Errorf("a chat that takes none was tried again: %v", h.channel.reactions(club))
				}
			})
		})
	}
}

// TestReaction_AfterCrash_IsCorrected checks that no message keeps a wrong reaction after a crash.
// Waiting messages get their reactions again; messages with a running or ended turn show none.
func TestReaction_AfterCrash_IsCorrected(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		r, end := h.react(outbox.ReactionModeWaiting)
		c := h.conversation("alice", alice)
		var ins []supervisor.Inbound
		for _, m := range []string{"a", "b", "c"} {
			ins = append(ins, h.arrive(r, c, m))
		}
		pass(3 * time.Second)
		h.same("before", h.channel.reactions(alice), []string{"a 👀", "b 👀", "c 👀"})
		end()
		h.takeUp(ins[0]).finishWith("Done.")
		h.takeUp(ins[1])
		_, endAgain := h.react(outbox.ReactionModeWaiting)
		defer endAgain()
		pass(3 * time.Second)
		stands := map[string]string{}
		for _, c := range h.channel.made(alice, "react") {
			stands[c.message] = c.content.Text
		}
		h.same("after", stands, map[string]string{"a": "", "b": "", "c": "👀"})
	})
}
