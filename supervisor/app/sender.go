package app

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// sender is hostcall's Sender.
type sender struct {
	turns  sqlite.Turns
	queued func(conversation int64) // something was put into its outbox
}

// Send has something delivered to the conversation of a turn.
func (f sender) Send(ctx context.Context, turn int64, call string, d supervisor.Delivery) error {
	in, err := f.turns.Send(ctx, turn, call, d)
	if in != 0 && err == nil {
		f.queued(in)
	}
	return err
}

// Sent says whether a call has sent something.
func (f sender) Sent(ctx context.Context, turn int64, call string) (bool, error) {
	return f.turns.Sent(ctx, turn, call)
}
