package outbox_test

import (
	"sync/atomic"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

// without returns a change of options: the outbox no longer serves the user of that name.
func without(name string) func(*outbox.Options) {
	return func(o *outbox.Options) {
		o.Serves = func(c supervisor.Conversation) bool { return c.User != name }
	}
}

const noRecipient = "failed 1: the user no longer has access\n"

func TestUnservedUser_GetsNothing(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.notice(h.conversation("bob", "43"), "to bob")
		turn := h.begin(h.conversation("bob", "43"))
		turn.say("hello")
		end := h.live()
		pass(10 * time.Second)
		h.same("bob", h.channel.texts("43"), []string{"to bob", "hello"})
		end()
		shown := len(h.channel.made("43", "send", "edit", "typing"))

		h.live(without("bob"))
		turn.say(" bob")
		pass(10 * time.Second)
		turn.finish()
		pass(10 * time.Second)
		h.same("calls to bob", len(h.channel.made("43", "send", "edit", "delete", "typing")), shown)
		h.same("lost", h.lost(), noRecipient)
		h.same("waiting", h.waiting("43"), 0)
		h.same("queues", h.box.Status().Chats, []string(nil))
	})
}

// TestUnservedUser_OthersInGroup_GetAnswers checks that a group gets answers to its users, but none
// to a user who is no longer served.
func TestUnservedUser_OthersInGroup_GetAnswers(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live(without("bob"))
		h.notice(h.conversation("bob", club), "to bob")
		h.notice(h.conversation("ann", club), "to ann")
		pass(10 * time.Second)
		h.same("club", h.channel.texts(club), []string{"to ann"})
		h.same("lost", h.lost(), noRecipient)
	})
}

func TestUnservedUser_DuringOutage_GetsNothing(t *testing.T) {
	inBubble(t, func(h *rig) {
		var gone atomic.Bool
		h.channel.script = away(time.Hour, unknown())
		h.live(func(o *outbox.Options) { o.Serves = func(supervisor.Conversation) bool { return !gone.Load() } })
		h.notice(h.conversation("bob", "43"), "to bob")
		pass(30 * time.Minute)
		gone.Store(true)
		pass(time.Hour)
		h.same("bob", h.channel.texts("43"), []string(nil))
		h.same("lost", h.lost(), noRecipient)
	})
}

func TestUnservedUser_ArrivedDelivery_IsNotLost(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live(func(o *outbox.Options) {
			o.Serves = func(supervisor.Conversation) bool { return len(h.channel.made("43", "send")) == 0 }
		})
		h.notice(h.conversation("bob", "43"), "to bob")
		pass(time.Minute)
		h.same("bob", h.channel.texts("43"), []string{"to bob"})
		h.same("lost", h.lost(), "")
	})
}

func TestInvisibleAnswer_ShowsMarkdownSource(t *testing.T) {
	const empty = "(The answer was empty.)"
	for text, want := range map[string]string{
		"": empty, "\n": empty, "\u200b": empty, " \u3164\ufe0f\u2800\t": empty, "\U000E0020": empty, "\x01": empty,
		"```\n```": "```\n```", "<br>": "<br>", "&#8203;": "&#8203;",
	} {
		for _, grows := range []bool{false, true} {
			inBubble(t, func(h *rig) {
				h.live(func(o *outbox.Options) {
					o.Render = func(text string, growing bool) []supervisor.RichText {
						if growing {
							return render(text, true)
						}
						return nil
					}
				})
				turn := h.begin(h.conversation("alice", alice))
				if grows {
					turn.say("hello")
					pass(3 * time.Second)
				}
				turn.finishWith(text)
				pass(3 * time.Second)
				h.same("chat", h.channel.texts(alice), []string{want})
				h.same("lost", h.lost(), "")
			})
		}
	}
}

// TestInvisiblePart_IsNotSent leaves out a part that shows nothing. The channel would refuse that
// part, and with it the answer.
func TestInvisiblePart_IsNotSent(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live(func(o *outbox.Options) {
			o.Render = func(string, bool) []supervisor.RichText {
				return []supervisor.RichText{{Text: "one"}, {Text: " \u200b"}, {Text: "\U0001FAE9"}}
			}
		})
		h.notice(h.conversation("alice", alice), "one and a face")
		pass(3 * time.Second)
		h.same("chat", h.channel.texts(alice), []string{"one", "\U0001FAE9"})
	})
}
