package hostcall

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// TurnSender stores messages of turns in the database. It implements Sender.
type TurnSender struct {
	Turns  sqlite.Turns
	Queued func(conversation int64) // called when a conversation's outbox has a new delivery
}

// Send stores a delivery for the conversation of a turn.
func (s TurnSender) Send(ctx context.Context, turn int64, call string, d supervisor.Delivery) error {
	in, err := s.Turns.SendMessage(ctx, turn, call, d)
	if in != 0 && err == nil {
		s.Queued(in)
	}
	return err
}

// WasMessageSent reports whether a call has sent something.
func (s TurnSender) WasMessageSent(ctx context.Context, turn int64, call string) (bool, error) {
	return s.Turns.WasMessageSent(ctx, turn, call)
}
