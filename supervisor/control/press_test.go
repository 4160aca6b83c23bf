package control_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/control"
)

var yesNo = [][]supervisor.Button{{{Text: "Yes", Press: "y"}, {Text: "No", Press: "n"}},
	{{Text: "Help", Press: "/help"}}}

// ask asks a question with a button.
func (h *rig) ask(c supervisor.Conversation) int64 {
	h.Helper()
	d, err := h.db.Outbox().SendNotice(h.Context(), supervisor.Delivery{Conversation: c, Text: "Go on?", Buttons: yesNo,
		Files: []supervisor.File{{SHA256: strings.Repeat("ab", 32), Size: 7, Name: "a.png", MediaType: "image/png", Caption: "an a"}}})
	h.must(err)
	h.feeds.NotifyDelivery(c.ID)
	return d.ID
}

func TestPressButton_IsAnswered(t *testing.T) {
	h := newRig(t)
	end := h.live()
	v := h.attach(control.JoinChatRequest{After: control.StartAtUndelivered})
	id := h.ask(h.conversation("ann", ""))
	d := next[control.Delivery](h, v)
	if diff := cmp.Diff(control.Delivery{ID: id, Kind: supervisor.DeliveryNotice, Text: "Go on?", At: d.At, Buttons: yesNo,
		Files: []control.File{{Name: "a.png", Size: 7, MediaType: "image/png", Caption: "an a"}}}, d); diff != "" {
		t.Errorf("delivered: (-want +got)\n%s", diff)
	}
	<-h.outbox.delivered // the buttons still work after the delivery was taken

	end()
	next[lost](h, v)
	said := make(chan control.InputReceipt, 1)
	go func() {
		got, err := v.PressButton(t.Context(), "my-key", id,
			"/help") // this is a press, although it looks like a command
		if err != nil {
			t.Error(err)
		}
		said <- got
	}()
	h.live()
	kept := (<-said).Inbound
	in := <-h.accepted
	want := supervisor.Inbound{ID: kept, Conversation: h.conversation("ann", ""), Source: "terminal", Key: "my-key",
		Kind: supervisor.KindPress, Text: "/help", Origin: supervisor.OriginOwn, State: supervisor.InboundNew, ReceivedAt: in.ReceivedAt}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Errorf("accepted: (-want +got)\n%s", diff)
	}
	again, err := v.PressButton(t.Context(), "my-key", id, "/help")
	if err != nil || again.Inbound != kept {
		t.Errorf("pressed again with its key: %+v, %v", again, err)
	}
	_, err = h.db.Outbox().AnswerCommand(t.Context(), in.ID, supervisor.Delivery{Text: "Help yourself."})
	h.must(err)
	h.feeds.NotifyDelivery(in.Conversation.ID)
	if d := next[control.Delivery](h, v); d.Key != "my-key" || d.Text != "Help yourself." {
		t.Errorf("answered was %+v", d)
	}
}

func TestSelfDeletingDelivery_IsShownOnce(t *testing.T) {
	h := newRig(t)
	h.live()
	v := h.attach(control.JoinChatRequest{After: control.StartAtUndelivered})
	c := h.conversation("ann", "")
	_, err := h.db.Outbox().SendNotice(t.Context(), supervisor.Delivery{Conversation: c, Text: "the secret",
		DeleteAfter: time.Minute})
	h.must(err)
	h.feeds.NotifyDelivery(c.ID)
	same(h, "shown", v.texts(h, 1), []string{"the secret"})
	<-h.outbox.delivered
	later := h.attach(control.JoinChatRequest{After: 0})
	same(h, "shown to who comes later", later.texts(h, 1), []string{"(This message was temporary and has been deleted.)"})
}
