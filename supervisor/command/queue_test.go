package command_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
)

// sendTexts stores messages from ann, and returns them.
func (h *rig) sendTexts(texts ...string) (kept []supervisor.Inbound) {
	h.Helper()
	for _, text := range texts {
		h.keys++
		in, _, err := h.db.Inbox().StoreInbound(h.Context(), supervisor.Inbound{Conversation: h.home, Source: "test",
			Key:  fmt.Sprint("key-", h.keys),
			Kind: supervisor.KindText, Text: text, ReceivedAt: time.Now().Add(-time.Minute)})
		if err != nil {
			h.Fatal(err)
		}
		kept = append(kept, in)
	}
	return kept
}

// waitingTexts lists the texts of waiting messages, in order.
func (h *rig) waitingTexts() (texts []string) {
	h.Helper()
	q, err := h.db.Inbox().ReadQueue(h.Context(), h.home.ID)
	if err != nil {
		h.Fatal(err)
	}
	for _, w := range q.Waiting {
		texts = append(texts, w.Inbound.Text)
	}
	return texts
}

func TestQueue_WaitingMessages_HaveButtons(t *testing.T) {
	h := newRig(t)
	h.live()
	if got := h.ask("/queue"); got != "Nothing is running here. Nothing waits." {
		t.Errorf("with nothing there it says %q", got)
	}
	turn := h.sendTexts("what is in my folder?")[0]
	if _, _, err := h.db.Turns().Start(t.Context(), turn.ID, nil); err != nil {
		t.Fatal(err)
	}
	kept := h.sendTexts("a", strings.Repeat("long ", 20), "c", "d", "e", "f", "g", "h", "i", "j")
	text := h.ask("/queue")
	for _, want := range []string{"I have been answering `what is in my folder?` for ", ". 10 messages wait:", "\n1. `a`, sent at ", " 1 minute ago",
		"\n2. `" + strings.Repeat("long ", 12) + "…`, sent", "\n8. `h`, sent", "\n\nand 2 more"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	list := h.outbox()
	buttons := list[len(list)-1].Buttons
	if len(buttons) != 8 || len(buttons[1]) != 2 || buttons[1][0] != (supervisor.Button{Text: "Drop 2", Press: fmt.Sprint("w:drop ", kept[1].ID)}) {
		t.Errorf("the buttons are %+v", buttons)
	}

	for _, c := range []struct{ text, want string }{
		{"/queue drop 3", "I dropped `c`. Send it again if you still want it."},
		// the number 3 is from the last list, although another message is now third
		{"/queue drop 3", "I dropped `c`. Send it again if you still want it."},
		{"/queue NOW 4", "`d` comes next."},
		{"/queue now 9", "My last list has no number 9. /queue lists what waits now."},
		{"/queue up", "/queue lists what waits here"},
		{"/queue now", "/queue lists what waits here"},
	} {
		if got := h.ask(c.text); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s is answered with %q", c.text, got)
		}
	}
	if got := h.waitingTexts(); !slices.Equal(got[:3], []string{"d", "a", strings.Repeat("long ", 20)}) || len(got) != 9 {
		t.Errorf("there wait %q", got)
	}
}

// The action of a button happens once, even after a crash before its answer, a repeated press or a
// late press.
func TestQueuePress_Repeated_ActsOnce(t *testing.T) {
	h := newRig(t)
	kept := h.sendTexts("a", "b", "c")
	drop := h.press(fmt.Sprint("w:drop ", kept[0].ID))
	now := h.press(fmt.Sprint("w:now ", kept[2].ID))
	if _, _, err := h.db.Inbox().DropText(t.Context(), "ann", kept[0].ID); err != nil {
		t.Fatal(err)
	}
	// the service is killed after the message has moved
	if _, _, err := h.db.Inbox().MoveTextToFront(t.Context(), "ann", kept[2].ID); err != nil {
		t.Fatal(err)
	}
	h.live()
	for range 2 {
		<-h.answered
	}
	answers := map[int64]string{}
	for _, d := range h.outbox() {
		answers[d.Inbound] = d.Text
	}
	if answers[drop.ID] != "I dropped `a`. Send it again if you still want it." || answers[now.ID] != "`c` comes next." {
		t.Errorf("they are answered with %v", answers)
	}
	if got := h.waitingTexts(); !slices.Equal(got, []string{"c", "b"}) {
		t.Errorf("there wait %q", got)
	}
	if _, _, err := h.db.Turns().Start(t.Context(), kept[2].ID, nil); err != nil {
		t.Fatal(err)
	}
	for press, want := range map[string]string{
		fmt.Sprint("w:drop ", kept[2].ID): "`c` no longer waits: I am answering it.",
		fmt.Sprint("w:now ", kept[0].ID):  "I dropped `a`. Send it again if you still want it.",
		fmt.Sprint("w:now ", drop.ID):     "This message is not yours.",
		"w:now 999":                       "This message is not yours.",
		"w:now":                           "This button does nothing any more.",
		"w:now x":                         "This button does nothing any more.",
	} {
		if got := h.pressAnswer(press).Text; !strings.HasPrefix(got, want) {
			t.Errorf("%s is answered with %q, want %q", press, got, want)
		}
	}
}

func TestFollowupCommand_NoText_ExplainsUse(t *testing.T) {
	h := newRig(t)
	h.live()
	if got := h.ask("/followup"); !strings.HasPrefix(got, "“/followup TEXT” queues a message behind all others") {
		t.Errorf("it is answered with %q", got)
	}
}
