package host

import (
	"context"

	"mews/protocol"
)

// Operation is the supervisor as one operation sees it. Every call of it carries the operation's
// id.
type Operation struct {
	blobStore
	id int64
}

// Operation returns the host as the operation id sees it.
func (h *Host) Operation(id int64) *Operation {
	return &Operation{blobStore{host: h, operation: id}, id}
}

// Piece commits the piece that was done, and waits for leave to begin the next; see
// protocol.OperationPiece, whose Operation it fills in.
func (o *Operation) Piece(ctx context.Context, p protocol.OperationPiece) error {
	p.Operation = o.id
	return o.host.call(ctx, protocol.MethodOperationPiece, p, nil)
}

// Progress says how many seconds of a recording have been gone through. It never waits for the
// supervisor.
func (o *Operation) Progress(ctx context.Context, seconds int) error {
	return o.host.conn.Notify(ctx, protocol.MethodOperationProgress, protocol.OperationProgress{Operation: o.id, Seconds: seconds})
}
