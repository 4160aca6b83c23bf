package outbox_test

import (
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/outbox"
)

func (t *turn) tool(kind protocol.EventKind, call, name, text string) {
	t.ShowTool(protocol.TurnEvent{Turn: t.ID, Kind: kind, Call: call, Tool: name, Text: text})
}

// TestToolLine_EndsTheGrowingMessage checks that the growing message ends in a line about a running
// tool, without a separate message.
func TestToolLine_EndsTheGrowingMessage(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		turn := h.begin(h.conversation("alice", alice))
		turn.say("*I run it.")
		turn.CommitStep("*I run it.")
		turn.tool(protocol.EventToolBegan, "c1", "run_command", "pytest\x1b[31m -q \u202etests")
		turn.tool(protocol.EventToolBegan, "c2", "read_file", "a.txt")
		for _, step := range []struct {
			after time.Duration
			want  string
		}{
			{2 * time.Second, "*I run it."},
			{2 * time.Second, "*I run it.\n\nrun_command pytest[31m -q tests 0:03"},
			{3 * time.Second, "*I run it.\n\nrun_command pytest[31m -q tests 0:06"},
			{time.Minute, "*I run it.\n\nrun_command pytest[31m -q tests 1:06"},
		} {
			pass(step.after)
			h.same("chat", h.channel.texts(alice), []string{step.want})
		}
		marks := h.channel.chats[alice][0].content.Entities
		h.same("marks", marks[len(marks)-1], supervisor.RichTextEntity{Type: supervisor.EntityItalic, Offset: 12,
			Length: 36})
		turn.tool(protocol.EventToolEnded, "c1", "run_command", "")
		pass(4 * time.Second)
		h.same("then the next", h.channel.texts(alice), []string{"*I run it.\n\nread_file a.txt 0:03"})
		turn.tool(protocol.EventToolEnded, "c2", "read_file", "")
		pass(2 * time.Second)
		h.same("when none runs", h.channel.texts(alice), []string{"*I run it."})
		turn.tool(protocol.EventToolBegan, "c3", "read_file", "b.txt")
		pass(4 * time.Second)
		turn.finishWith("*I run it.\n\nDone.")
		pass(5 * time.Second)
		h.same("at the end", h.channel.texts(alice), []string{"*I run it.\n\nDone."})
		h.same("messages", len(h.channel.made(alice, "send")), 1)
		h.same("waiting", h.waiting(alice), 0)
	})
}

// TestToolLine_WithoutText_BecomesTheAnswer checks that the line is alone in its message if the
// turn has said nothing before. The answer then replaces the line.
func TestToolLine_WithoutText_BecomesTheAnswer(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		turn := h.begin(h.conversation("alice", alice))
		turn.tool(protocol.EventToolBegan, "c1", "run_command", strings.Repeat("make ", 30))
		pass(5 * time.Second)
		h.same("chat", h.channel.texts(alice), []string{"run_command " + strings.Repeat("make ", 30)[:59] + "… 0:03"})
		turn.say("Made.")
		pass(5 * time.Second)
		h.same("with text", h.channel.texts(alice), []string{"Made."})
		turn.finish()
		pass(5 * time.Second)
		h.same("calls", h.channel.verbs(alice), "send edit")
	})
}

// TestToolLine_InGroup_ChangesRarely checks that in a group the line changes every fifteen seconds,
// within the channel's twenty messages a minute.
func TestToolLine_InGroup_ChangesRarely(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		turn := h.begin(h.conversation("alice", club))
		turn.say("I run it.")
		turn.CommitStep("I run it.")
		turn.tool(protocol.EventToolBegan, "c1", "run_command", "pytest")
		pass(time.Minute + 4*time.Second)
		var at []string
		for _, c := range h.channel.made(club, "edit") {
			at = append(at, strings.TrimPrefix(c.content.Text, "I run it.\n\nrun_command pytest "))
		}
		h.same("edits", at, []string{"0:03", "0:18", "0:33", "0:48", "1:03"})
	})
}

func TestToolLine_GrowthOff_IsNotShown(t *testing.T) {
	for name, test := range map[string]func(h *rig) *turn{
		"where replies do not grow": func(h *rig) *turn {
			h.live(final)
			return h.begin(h.conversation("alice", alice))
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				turn := test(h)
				turn.tool(protocol.EventToolBegan, "c1", "run_command", "pytest")
				pass(time.Minute)
				h.same("calls", h.channel.verbs(alice), "")
			})
		})
	}
}

// TestToolLine_AfterCrash_IsReplaced checks that the answer replaces the line after a crash. If the
// send was interrupted, the message's name is unknown. Then the answer is sent again and marked as
// a repeat.
func TestToolLine_AfterCrash_IsReplaced(t *testing.T) {
	for left := 1; left < 16; left++ {
		inBubble(t, func(h *rig) {
			l := &process{left: left}
			end := h.liveAs(l, func(o *outbox.Options) { o.Channel = killableChannel{h.channel, l} })
			turn := h.begin(h.conversation("alice", alice))
			turn.tool(protocol.EventToolBegan, "c1", "run_command", "pytest")
			pass(7 * time.Second)
			end()
			turn.Close()
			h.live()
			turn.Stream = h.feeds.OpenStream(turn.Turn, "")
			pass(5 * time.Second)
			turn.say("Done.")
			pass(5 * time.Second)
			turn.finish()
			pass(30 * time.Second)
			texts := h.channel.texts(alice)
			last, marked := strings.CutPrefix(texts[len(texts)-1], repeatMark)
			h.same("the last", last, "Done.")
			if len(texts) > 1 && !marked {
				t.Errorf("after %d there stands %q: only a sending that was cut is repeated, and says so", left, texts)
			}
			h.same("waiting", h.waiting(alice), 0)
		})
	}
}
