package host

import (
	"context"

	"mews/protocol"
)

// Remember asks whether what a call says may be kept. It sets p.Turn. Its error has
// protocol.CodeWaits while the person has not answered.
func (t *Turn) Remember(ctx context.Context, p protocol.MemoryRemember) (allowed protocol.MemoryAllowed, err error) {
	p.Turn = t.turn
	return allowed, t.host.conn.Call(ctx, protocol.MethodMemoryRemember, p, &allowed)
}

// MemoryChanged tells that MEMORY.md changes. It sets p.Turn.
func (t *Turn) MemoryChanged(ctx context.Context, p protocol.MemoryChanged) error {
	p.Turn = t.turn
	return t.host.conn.Call(ctx, protocol.MethodMemoryChanged, p, nil)
}

// Recalled tells which facts were shown.
func (t *Turn) Recalled(ctx context.Context, ids []string) error {
	return t.host.conn.Call(ctx, protocol.MethodMemoryRecalled, protocol.MemoryRecalled{Turn: t.turn, IDs: ids}, nil)
}
