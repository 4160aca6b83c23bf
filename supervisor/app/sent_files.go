package app

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// fileSender is hostcall's Sender.
type fileSender struct {
	turns  sqlite.Turns
	queued func(conversation int64) // something was put into its outbox
}

// SendFile has a file delivered to the conversation of a turn.
func (f fileSender) SendFile(ctx context.Context, turn int64, call string, file supervisor.File) error {
	in, err := f.turns.SendFile(ctx, turn, call, file)
	if in != 0 && err == nil {
		f.queued(in)
	}
	return err
}

// Sent says whether a call has sent its file.
func (f fileSender) Sent(ctx context.Context, turn int64, call string) (bool, error) {
	return f.turns.Sent(ctx, turn, call)
}
