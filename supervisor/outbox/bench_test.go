package outbox_test

import (
	"context"
	"testing"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

// notifyingChannel is a channel that signals each call.
type notifyingChannel struct{ sent chan struct{} }

func (d notifyingChannel) Send(context.Context, supervisor.Address, supervisor.RichText) (string, error) {
	d.sent <- struct{}{}
	return "1", nil
}

func (d notifyingChannel) Edit(context.Context, supervisor.Address, string, supervisor.RichText) error {
	return nil
}
func (d notifyingChannel) Delete(context.Context, supervisor.Address, string) error   { return nil }
func (d notifyingChannel) Unbutton(context.Context, supervisor.Address, string) error { return nil }
func (d notifyingChannel) Act(context.Context, supervisor.Address, supervisor.ChatAction) error {
	return nil
}

// BenchmarkSend measures the time from a waiting delivery to the call of the channel. One commit is
// between them.
func BenchmarkSend(b *testing.B) {
	h := newRig(b, b.TempDir())
	d := notifyingChannel{make(chan struct{})}
	h.live(func(o *outbox.Options) { o.Channel, o.Rates = d, outbox.Rates{All: 1 << 20, Chat: 1 << 20} })
	c := h.conversation("alice", alice)
	for b.Loop() {
		b.StopTimer()
		n, err := h.db.Outbox().PutNotice(b.Context(), c.ID, "hello")
		must(h, n, err)
		b.StartTimer()
		h.feeds.Delivery(c.ID)
		<-d.sent
	}
}

// BenchmarkChanged measures the cost of one more word in another channel's reply.
func BenchmarkChanged(b *testing.B) {
	h := newRig(b, b.TempDir())
	h.live()
	c, err := h.db.Conversations().Find(b.Context(), "alice", supervisor.ChannelTerminal, "", "")
	must(h, c, err)
	for b.Loop() {
		h.box.Changed(c.ID)
	}
}
