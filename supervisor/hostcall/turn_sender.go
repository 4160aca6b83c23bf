package hostcall

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// TurnSender is the Sender that keeps what turns send in the database.
type TurnSender struct {
	Turns  sqlite.Turns
	Queued func(conversation int64) // called when something was put into a conversation's outbox
}

// Send stores a delivery for the conversation of a turn.
func (s TurnSender) Send(ctx context.Context, turn int64, call string, d supervisor.Delivery) error {
	in, err := s.Turns.Send(ctx, turn, call, d)
	if in != 0 && err == nil {
		s.Queued(in)
	}
	return err
}

// WasSent reports whether a call has sent something.
func (s TurnSender) WasSent(ctx context.Context, turn int64, call string) (bool, error) {
	return s.Turns.WasSent(ctx, turn, call)
}
