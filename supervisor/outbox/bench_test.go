package outbox_test

import (
	"context"
	"testing"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

// notifyingChannel is a channel that signals each call.
type notifyingChannel struct{ sent chan struct{} }

func (d notifyingChannel) Send(context.Context, supervisor.PostAddress, supervisor.RichText) (string, error) {
	d.sent <- struct{}{}
	return "1", nil
}

func (d notifyingChannel) EditMessage(context.Context, supervisor.PostAddress, string, supervisor.RichText) error {
	return nil
}
func (d notifyingChannel) DeleteMessage(context.Context, supervisor.PostAddress, string) error {
	return nil
}
func (d notifyingChannel) RemoveButtons(context.Context, supervisor.PostAddress, string) error {
	return nil
}
func (d notifyingChannel) SendChatAction(context.Context, supervisor.PostAddress, supervisor.ChatAction) error {
	return nil
}

// BenchmarkSend measures the time from a waiting delivery to the call of the channel. One commit is
// between them.
func BenchmarkSend(b *testing.B) {
	h := newRig(b, b.TempDir())
	d := notifyingChannel{make(chan struct{})}
	h.live(func(o *outbox.Options) { o.Channel, o.Rates = d, outbox.SendRates{All: 1 << 20, Chat: 1 << 20} })
	c := h.conversation("alice", alice)
	for b.Loop() {
		b.StopTimer()
		n, err := h.db.Outbox().PutTextNotice(b.Context(), c.ID, "hello")
		must(h, n, err)
		b.StartTimer()
		h.feeds.NotifyDelivery(c.ID)
		<-d.sent
	}
}

// BenchmarkNotifyChange measures NotifyChange for a conversation of another channel. A reply there
// causes one call for each word.
func BenchmarkNotifyChange(b *testing.B) {
	h := newRig(b, b.TempDir())
	h.live()
	c, err := h.db.Conversations().FindOrCreate(b.Context(), "alice", supervisor.ChannelTerminal, "", "")
	must(h, c, err)
	for b.Loop() {
		h.box.NotifyChange(c.ID)
	}
}
