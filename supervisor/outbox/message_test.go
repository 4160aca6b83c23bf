package outbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/effect"
	"mews/supervisor/outbox"
	"mews/supervisor/sqlite"
)

// call makes the turn's model say something and then call a tool.
func (t *turn) call(said string, ids ...string) {
	t.h.Helper()
	var parts []protocol.ContentPart
	if said != "" {
		parts = append(parts, protocol.ContentPart{Text: said})
	}
	for _, id := range ids {
		parts = append(parts, protocol.ContentPart{Call: &protocol.ToolCall{ID: id, Name: "send_message",
			Arguments: []byte("{}")}})
	}
	_, err := t.h.db.Turns().CommitStep(t.h.Context(), sqlite.Step{Turn: t.ID, Model: "offline",
		Message: protocol.Message{Role: protocol.RoleAssistant, Parts: parts}})
	must(t.h, true, err)
	for _, id := range ids {
		must(t.h, true, t.h.db.Turns().CommitCallStart(t.h.Context(), t.ID, id))
	}
	t.CommitStep(said)
}

// send sends a text by a tool call of the turn, before its answer.
func (t *turn) send(call, text string) {
	t.h.Helper()
	in, err := t.h.db.Turns().SendMessage(t.h.Context(), t.ID, call, supervisor.Delivery{Text: text})
	if must(t.h, in, err) != 0 {
		t.h.feeds.NotifyDelivery(in)
	}
}

// TestMessageOfTurn_AppearsAboveItsAnswer checks that a message that a turn sends is above its
// answer, even if the answer has begun to grow.
func TestMessageOfTurn_AppearsAboveItsAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		first string
		after time.Duration // time from the turn's beginning to the message
		end   bool          // whether the answer comes together with the message
		verbs string
	}{
		"before the answer has begun": {"", time.Second, false, "send send edit"},
		"where the answer grows":      {"First,", 5 * time.Second, false, "send send delete send edit edit"},
		"at once with the answer":     {"First,", 5 * time.Second, true, "send send delete send"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.live()
				turn := h.begin(h.conversation("alice", alice))
				turn.AppendText(test.first)
				pass(test.after)
				turn.call(test.first, "c1")
				turn.send("c1", "ahead")
				if !test.end {
					pass(5 * time.Second)
					turn.AppendText("and then")
					pass(5 * time.Second)
				}
				turn.finishWith("First, and then the end.")
				pass(10 * time.Second)
				h.same("chat", h.channel.texts(alice), []string{"ahead", "First, and then the end." + did("sent a message (5 bytes)")})
				h.same("calls", h.channel.verbs(alice), test.verbs)
				h.same("waiting", h.waiting(alice), 0)
			})
		})
	}
}

// did returns the text below an answer that lists its effects; line is the list.
func did(line string) string { return "\n\n" + effect.TextEffectsHeading + "\n" + line }

// TestMessageOfTurn_RepliesInGroupsOnly checks that a message replies to the user's message only in
// a group.
func TestMessageOfTurn_RepliesInGroupsOnly(t *testing.T) {
	for chat, want := range map[string]string{alice: "", club: "in-key-1"} {
		inBubble(t, func(h *rig) {
			h.live()
			turn := h.begin(h.conversation("alice", chat))
			turn.call("", "c1")
			turn.send("c1", "ahead")
			pass(5 * time.Second)
			h.same("answers in "+chat, h.channel.made(chat, "send")[0].to.ReplyTo, want)
		})
	}
}

// TestMessageOfTurn_Crash_RepeatIsMarked kills the process after each of its calls of the
// store. Each message must be in the chat, in order, with the answer below them. Repeats must be
// marked.
func TestMessageOfTurn_Crash_RepeatIsMarked(t *testing.T) {
	certain := []string{"one", "two", "First, and the end." + did("sent a message 2 times")}
	const oneUnknown = effect.TextEffectsHeading +
		"\nmay not have arrived: a message (3 bytes)\nsent a message (3 bytes)"
	for _, unknownSend := range []int{0, 2} {
		for left := 1; left < 24; left++ {
			t.Run(fmt.Sprint(unknownSend, left), func(t *testing.T) {
				inBubble(t, func(h *rig) {
					if unknownSend > 0 {
						h.channel.script = once("send", unknownSend, true, unknown())
					}
					l := &process{left: left}
					end := h.liveAs(l, func(o *outbox.Options) { o.Channel = killableChannel{h.channel, l} })
					turn := h.begin(h.conversation("alice", alice))
					turn.AppendText("First,")
					pass(2 * time.Second)
					turn.call("First,", "c1", "c2")
					turn.send("c1", "one")
					pass(time.Second)
					for range 2 { // the second call is a repeat after a crash of the worker, and sends nothing
						turn.send("c2", "two")
					}
					turn.finishWith("First, and the end.")
					pass(10 * time.Second)
					if l.ended() {
						end()
						h.live()
						pass(time.Minute)
					}
					var texts []string
					repeats := 0
					for _, text := range h.channel.texts(alice) {
						repeats += strings.Count(text, repeatMark)
						if text = strings.TrimSuffix(strings.TrimSuffix(text, textApology), "\n\n"); text == "" {
							continue // this message was sent twice, because the first result is unknown
						}
						texts = append(texts, strings.ReplaceAll(text, repeatMark, ""))
					}
					// after a crash, the beginning of the answer may be above the messages
					slices.Sort(texts)
					compact := slices.Compact(slices.Clone(texts))
					want := certain
					if unknownSend > 0 && slices.Contains(texts,
						oneUnknown) { // the process died before it stored the result of the repeat
						want = []string{"one", "two", "First, and the end.", oneUnknown}
					}
					sorted := slices.Sorted(slices.Values(want))
					h.same("chat", compact, sorted)
					h.same("more than are marked", len(texts)-len(want) > repeats, false)
					h.same("waiting", h.waiting(alice), 0)
				})
			})
		}
	}
}
