package host

import (
	"context"

	"mews/protocol"
)

// Operation makes the calls of one operation. Each call carries the id of the operation.
type Operation struct {
	blobStore
	id int64
}

// Operation returns the host for one operation.
func (h *Host) Operation(id int64) *Operation {
	return &Operation{blobStore{host: h, operation: id}, id}
}

// ID returns the id of the operation.
func (o *Operation) ID() int64 { return o.id }

// CommitPiece commits a finished piece and waits for permission to begin the next. It sets
// p.Operation; see protocol.OperationPiece.
func (o *Operation) CommitPiece(ctx context.Context, p protocol.OperationPiece) error {
	p.Operation = o.id
	return o.host.call(ctx, protocol.MethodOperationPiece, p, nil)
}

// ReportProgress reports how many seconds of a recording are done. It never waits for an answer.
func (o *Operation) ReportProgress(ctx context.Context, seconds int) error {
	return o.host.conn.Notify(ctx, protocol.MethodOperationProgress, protocol.OperationProgress{Operation: o.id, Seconds: seconds})
}
