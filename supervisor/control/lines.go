package control

import (
	"context"
	"time"

	"mews/supervisor"
)

// sendLines sends the lines that the client does not have and that were received by the time until.
// The zero time means all.
func (f *follower) sendLines(ctx context.Context, until time.Time) error {
	for {
		list, err := f.o.Lines.ListLines(ctx, f.conversation, f.line, listLimit)
		if err != nil {
			return err
		}
		for _, in := range list {
			if !until.IsZero() && in.ReceivedAt.After(until) {
				return nil
			}
			if err := f.sendLine(ctx, in); err != nil {
				return err
			}
		}
		if len(list) < listLimit {
			return nil
		}
	}
}

func (f *follower) sendLine(ctx context.Context, in supervisor.Inbound) error {
	f.line = in.ID
	return f.conn.Notify(ctx, MethodLine, Line{Inbound: in.ID, Key: in.Key, Text: cut(in.Text, maxText),
		At: in.ReceivedAt})
}
