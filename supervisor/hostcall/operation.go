package hostcall

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"mews/protocol"
	"mews/supervisor/feature"
	"mews/supervisor/index"
	"mews/supervisor/operation"
	"mews/supervisor/spool"
)

var operationRows = []row{
	{method: protocol.MethodOperationPiece, phase: inOperation, bytes: 2*protocol.MaxPieceTextBytes + shortParams,
		limit: 10_000, serial: true,
		handler: workCall((*work).pieceDone)},
	{method: protocol.MethodOperationProgress, phase: inOperation, bytes: shortParams, limit: 100_000, handler: workNote((*work).progressed)},
}

// operationWork is an operation that the worker was given.
type operationWork struct {
	operation.Attempt
	next      int  // index of the next piece of the recording
	asked     int  // length of all pieces that have begun, in seconds
	text      int  // bytes of the texts of all finished pieces
	begun     bool // whether a piece of the recording has begun
	of        int  // number of pieces; known after a piece has begun
	committed []protocol.BlobRef
	bytes     int64
	// the operation's update of the home's index; nil before its first call
	home *index.HomeUpdate
	kept sync.Map // values that features keep for the rest of the operation
}

// pieceDone answers operation.piece. The calls come one by one.
func (w *work) pieceDone(ctx context.Context, p *protocol.OperationPiece) (*struct{}, error) {
	o := w.operation
	if o.Piece == nil {
		return nil, feature.WorkerOffence{Err: errors.New("the operation has no pieces")}
	}
	if err := p.Validate(o.next, o.begun, o.Seconds); err != nil {
		return nil, feature.WorkerOffence{Err: err}
	}
	if o.begun && p.Total != o.of {
		return nil, feature.WorkerOffence{Err: fmt.Errorf("of %d pieces, and before of %d", p.Total, o.of)}
	}
	if p.Done != nil {
		o.text += len(p.Done.Text)
	}
	if o.text > protocol.MaxTranscriptBytes {
		return nil, feature.WorkerOffence{Err: fmt.Errorf("%d bytes of text", o.text)}
	}
	if o.asked += p.Seconds; o.asked > o.Seconds+p.Total { // the seconds of each piece are rounded up
		return nil, feature.WorkerOffence{Err: fmt.Errorf("pieces of %d seconds, of a recording of %d", o.asked,
			o.Seconds)}
	}
	o.next, o.begun, o.of = o.next+1, true, p.Total
	if err := w.commit(ctx, func() error { return o.Piece(ctx, *p) }); err != nil {
		return nil, err
	}
	return &struct{}{}, nil
}

// progressed answers operation.progress.
func (w *work) progressed(p *protocol.OperationProgress) error {
	o := w.operation
	if o.Progress == nil || p.Seconds < 0 || p.Seconds > o.Seconds {
		return feature.WorkerOffence{Err: fmt.Errorf("progress: %d of %d seconds", p.Seconds, o.Seconds)}
	}
	o.Progress(p.Seconds)
	return nil
}

// room returns how many more bytes the operation may commit.
func (o *operationWork) room() int64 {
	if o.MaxBlobs > 0 && len(o.committed) >= o.MaxBlobs {
		return 0
	}
	return o.MaxBytes - o.bytes
}

func (o *operationWork) keep(ref protocol.BlobRef) {
	o.committed, o.bytes = append(o.committed, ref), o.bytes+ref.Size
}

func (o *operationWork) full() error {
	return feature.NewRefusal("the operation may keep %d bytes", o.MaxBytes)
}

// operationBlobs stores an operation's blobs for the operation's caller.
type operationBlobs struct {
	*operationWork
	spool *spool.Spool
}

func (b *operationBlobs) create() (*spool.Writer, error)      { return b.spool.NewWriter() }
func (b *operationBlobs) room(context.Context) (int64, error) { return b.operationWork.room(), nil }

func (b *operationBlobs) keep(_ context.Context, ref protocol.BlobRef) error {
	b.operationWork.keep(ref)
	return nil
}

// personsBlobs stores an operation's blobs for its user.
type personsBlobs struct {
	*operationWork
	blobStore // stores blobs within the user's limits
}

func (b *personsBlobs) room(ctx context.Context) (int64, error) {
	room, err := b.blobStore.room(ctx)
	return min(room, b.operationWork.room()), err
}

func (b *personsBlobs) keep(ctx context.Context, ref protocol.BlobRef) error {
	err := b.blobStore.keep(ctx, ref)
	if err == nil {
		b.operationWork.keep(ref)
	}
	return err
}

func (b *personsBlobs) full() error {
	if b.MaxBlobs == 0 {
		return b.blobStore.full()
	}
	return feature.NewRefusal("the operation may keep %d bytes in %d blobs, and all outputs of its person may have %d MiB",
		b.MaxBytes, b.MaxBlobs, spool.MaxTurnBytes>>20)
}
