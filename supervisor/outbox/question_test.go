package outbox_test

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

// ask asks the turn's user and makes the turn wait. Its reply stops growing.
func (t *turn) ask(text string) {
	t.h.Helper()
	_, _, err := t.h.db.Questions().Ask(t.h.Context(), supervisor.Question{Conversation: t.Conversation, Turn: t.ID, Kind: supervisor.QuestionApproval,
		Subject: strings.Repeat("5", 64), Text: text, OpenFor: time.Hour}, strings.Repeat("a", 64), nil)
	must(t.h, true, err)
	t.h.feeds.NotifyDelivery(t.Conversation.ID)
	t.Close()
}

// resume continues the turn after its user has answered.
func (t *turn) resume() {
	t.h.Helper()
	_, came, err := t.h.db.Questions().RecordPress(t.h.Context(), supervisor.QuestionPress{Digest: strings.Repeat("a",
		64), User: "alice",
		Conversation: t.Conversation.ID, Word: "once"})
	t.h.same("press", must(t.h, came, err), supervisor.PressAccepted)
	t.Stream = t.h.feeds.OpenStream(t.Turn, t.said)
}

// TestAnswer_ContinuesBelowItsQuestion checks that the rest of the answer comes below the question,
// also after a restart. An edit above the question would not notify the user.
func TestAnswer_ContinuesBelowItsQuestion(t *testing.T) {
	for name, restart := range map[string]bool{"same process": false, "after a restart": true} {
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
				turn.resume()
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
