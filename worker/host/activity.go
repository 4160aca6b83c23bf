package host

import (
	"context"

	"mews/protocol"
)

// ReadActivity reads what was done for the person. It sets p.Turn.
func (t *Turn) ReadActivity(ctx context.Context, p protocol.ActivityRead) (a protocol.Activity, err error) {
	p.Turn = t.turn
	return a, t.host.conn.Call(ctx, protocol.MethodActivityRead, p, &a)
}
