package outbox_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/outbox"
	"mews/supervisor/sqlite"
)

// commitLast ends a turn with text as its last step. Like a session, it claims the chat's next call
// for the text.
func (t *turn) commitLast(text string) supervisor.Delivery {
	t.h.Helper()
	last := sqlite.LastStep{
		Step: sqlite.Step{Turn: t.ID, Model: "m",
			Message: protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.ContentPart{{Text: text}}}},
		End: sqlite.TurnEnding{Turn: t.ID, Why: protocol.TurnEndDone, State: supervisor.InboundAnswered, Text: text},
	}
	claim, ok := t.h.box.ReserveSend(t.AnswerConversation(), t.Turn, text)
	if ok {
		last.Post = &claim.Content
	}
	e, err := t.h.db.Turns().CommitLastStep(t.h.Context(), last)
	if ok {
		claim.End(e.Delivery, e.Post)
	}
	must(t.h, e, err)
	t.CommitStep(text)
	t.Close()
	return e.Delivery
}

// writes returns a function that lists the process's writes of posts and deliveries.
func (l *process) writes() func() string {
	var written []string
	fails := l.fails
	l.fails = func(call string) error {
		if slices.Contains([]string{"open", "sending", "settle", "close"}, call) {
			written = append(written, call)
		}
		if fails == nil {
			return nil
		}
		return fails(call)
	}
	return func() string { return strings.Join(written, " ") }
}

func TestSendClaim_CommittedAnswer_IsSent(t *testing.T) {
	inBubble(t, func(h *rig) {
		l := &process{}
		writes := l.writes()
		h.liveAs(l)
		turn := h.begin(h.conversation("alice", alice))
		pass(100 * time.Millisecond)
		begun := time.Now()
		turn.commitLast("hello")
		pass(time.Minute)
		h.same("chat", h.channel.texts(alice), []string{"hello"})
		h.same("sent after", h.channel.made(alice, "send")[0].at.Sub(begun), time.Duration(0))
		h.same("commits", writes(), "close")
		h.same("waiting", h.waiting(alice), 0)
		h.same("chats", h.box.Status().Chats, []string(nil))
	})
}

func TestSendClaim_AnswerMustWait_IsDenied(t *testing.T) {
	for name, c := range map[string]struct {
		before func(h *rig, c supervisor.Conversation) // runs before the claim
		with   func(o *outbox.Options)
		text   string
		wants  []string
	}{
		"two parts": {text: words(room + 20), wants: []string{words(room + 20)[:room], words(room + 20)[room:]}},
		"a chat to which something is sent": {before: func(h *rig, c supervisor.Conversation) {
			h.channel.latency = 3 * time.Second
			h.notice(c, "first")
			pass(time.Second)
		}, text: "hello", wants: []string{"first", "hello"}},
		"a chat that waits for its pace": {before: func(h *rig, c supervisor.Conversation) {
			for _, text := range []string{"1", "2", "3"} {
				h.notice(c, text)
			}
			pass(time.Second)
		}, text: "hello", wants: []string{"1", "2", "3", "hello"}},
		"a chat that is frozen": {before: func(h *rig, c supervisor.Conversation) {
			h.channel.script = once("send", 1, false, flood(20*time.Second))
			h.notice(c, "first")
			pass(time.Second)
		}, text: "hello", wants: []string{"first", "hello"}},
		"a chat that does not answer": {before: func(h *rig, c supervisor.Conversation) {
			h.channel.script = away(20*time.Second, afterUnsent())
			h.notice(c, "first")
			pass(time.Second)
		}, text: "hello", wants: []string{"first", "hello"}},
		"somebody who is not served": {with: func(o *outbox.Options) {
			o.Serves = func(supervisor.Conversation) bool { return false }
		}, text: "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				with := c.with
				if with == nil {
					with = func(*outbox.Options) {}
				}
				h.live(with)
				conversation := h.conversation("alice", alice)
				turn := h.begin(conversation)
				pass(100 * time.Millisecond)
				if c.before != nil {
					c.before(h, conversation)
				}
				if _, ok := h.box.ReserveSend(conversation, turn.Turn, c.text); ok {
					t.Error("it was claimed")
				}
				turn.commitLast(c.text)
				pass(2 * time.Minute)
				h.same("chat", h.channel.texts(alice), c.wants)
				h.same("waiting", h.waiting(alice), 0)
			})
		})
	}
}

// TestSendClaim_EarlierMessage_GoesFirst checks that a message that came first goes first. The
// shown part of the reply is then edited.
func TestSendClaim_EarlierMessage_GoesFirst(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		c := h.conversation("alice", alice)
		turn := h.begin(c)
		pass(100 * time.Millisecond)
		if _, err := h.db.Outbox().PutTextNotice(h.Context(), c.ID, "first"); err != nil {
			t.Fatal(err)
		}
		turn.commitLast("hello")
		pass(time.Minute)
		turn = h.begin(c)
		turn.say("he")
		pass(3 * time.Second)
		turn.commitLast("hello again")
		pass(time.Minute)
		h.same("chat", h.channel.texts(alice), []string{"first", "hello", "hello again"})
		h.same("calls", h.channel.verbs(alice), "send send send edit")
	})
}

func TestSendClaim_Held_DelaysItsChat(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		c := h.conversation("alice", alice)
		turn := h.begin(c)
		pass(100 * time.Millisecond)
		claim, ok := h.box.ReserveSend(c, turn.Turn, "hello")
		if _, again := h.box.ReserveSend(c, turn.Turn, "hello"); !ok || again {
			t.Errorf("claimed %t, and again %t", ok, again)
		}
		h.notice(c, "first")
		pass(10 * time.Second)
		h.same("while it is claimed", h.channel.texts(alice), []string(nil))
		claim.End(supervisor.Delivery{}, supervisor.Post{})
		pass(time.Second)
		h.same("after that", h.channel.texts(alice), []string{"first"})
		turn.finishWith("done")
		pass(time.Minute)
		h.same("chat", h.channel.texts(alice), []string{"first", "done"})
	})
}

// TestSendClaim_ServiceEnds_LeavesAnswerUnsent ends the service between the commit and the send.
// The unsent answer must not be marked as a repeat.
func TestSendClaim_ServiceEnds_LeavesAnswerUnsent(t *testing.T) {
	inBubble(t, func(h *rig) {
		end := h.live()
		c := h.conversation("alice", alice)
		turn := h.begin(c)
		pass(100 * time.Millisecond)
		claim, _ := h.box.ReserveSend(c, turn.Turn, "hello")
		ended := make(chan struct{})
		go func() { end(); close(ended) }()
		pass(time.Second)
		e, err := h.db.Turns().CommitLastStep(h.Context(), sqlite.LastStep{
			Step: sqlite.Step{Turn: turn.ID, Message: protocol.Message{Role: protocol.RoleAssistant,
				Parts: []protocol.ContentPart{{Text: "hello"}}}},
			End: sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone, State: supervisor.InboundAnswered,
				Text: "hello"},
			Post: &claim.Content})
		claim.End(must(h, e, err).Delivery, e.Post)
		<-ended
		h.same("sent", h.channel.texts(alice), []string(nil))
		turn.Close()
		h.live()
		pass(time.Minute)
		h.same("chat", h.channel.texts(alice), []string{"hello"})
	})
}
