package outbox_test

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

// ask has the turn's person be asked, and the turn wait: nothing more of its reply is shown.
func (t *turn) ask(text string) {
	t.h.Helper()
	_, _, err := t.h.db.Questions().Ask(t.h.Context(), supervisor.Question{Conversation: t.Conversation, Turn: t.ID, Kind: supervisor.QuestionApproval,
		Subject: strings.Repeat("5", 64), Text: text, Stands: time.Hour}, strings.Repeat("a", 64), nil)
	must(t.h, true, err)
	t.h.feeds.Delivery(t.Conversation.ID)
	t.Close()
}

// goesOn has the turn go on, once its person has answered.
func (t *turn) goesOn() {
	t.h.Helper()
	_, came, err := t.h.db.Questions().Press(t.h.Context(), supervisor.Press{Digest: strings.Repeat("a", 64), User: "alice",
		Conversation: t.Conversation.ID, Word: "once"})
	t.h.same("press", must(t.h, came, err), supervisor.PressTaken)
	t.Stream = t.h.feeds.Open(t.Turn, t.said)
}

// What a turn says after its person has answered stands below the question, and so it makes itself
// heard. This is so in another life of the service too.
func TestAnAnswerGoesOnBelowItsQuestion(t *testing.T) {
	for name, restart := range map[string]bool{"in one life": false, "in the next": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				end := h.live()
				turn := h.begin(h.conversation("alice", alice))
				turn.say("I look.")
				pass(5 * time.Second)
				turn.ask("May I?")
				pass(time.Hour / 2)
				h.same("chat, while it waits", h.channel.texts(alice), []string{"I look.", "May I?"})
				if restart {
					end()
					h.live(func(*outbox.Options) {})
				}
				turn.goesOn()
				turn.say(" It is there")
				pass(5 * time.Second)
				turn.say(" now.")
				pass(5 * time.Second)
				turn.finish()
				pass(5 * time.Second)
				h.same("chat", h.channel.texts(alice), []string{"May I?", "I look. It is there now."})
				h.same("calls", h.channel.verbs(alice), "send send delete send edit edit")
			})
		})
	}
}
