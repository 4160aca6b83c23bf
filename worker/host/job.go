package host

import (
	"context"

	"mews/protocol"
)

// CallJob has the supervisor do what a call about jobs says.
func (t *Turn) CallJob(ctx context.Context, call string) (a protocol.JobAnswer, err error) {
	return a, t.host.conn.Call(ctx, protocol.MethodJobCall, protocol.JobCall{Turn: t.turn, Call: call}, &a)
}
