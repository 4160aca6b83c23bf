package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/slots"
	"mews/supervisor/pool"
	"mews/supervisor/spool"
)

// Attempt is an operation that a worker is about to be given.
type Attempt struct {
	ID int64
	// where what it commits goes, which nobody may read through a worker; nil: it is the person's
	Spool    *spool.Spool
	MaxBytes int64 // of all that it commits
	MaxBlobs int   // likewise; 0 is no bound
	Index    bool  // it tells of its person's home

	// The rest is of one that transcribes a recording.

	Seconds int                         // of the recording
	Pieces  []protocol.TranscribedPiece // that are committed
	// Piece commits the piece before the one that p names, if p has it, and gives leave to begin
	// that one. It is called with one piece after the other.
	Piece    func(ctx context.Context, p protocol.OperationPiece) error
	Progress func(seconds int) // keeps how far it has come; never blocks
}

// What ends an attempt.
var (
	errTimeout   = errors.New("the operation took too long")
	errCancelled = errors.New("the operation was cancelled")
	errYielded   = errors.New("a shorter recording goes first")
	errShared    = errors.New("something else was in the worker that ended")
)

// task is an operation that is being done.
type task[H Host] struct {
	*Operations[H]
	supervisor.Operation
	kind   kind
	bounds bounds
	slot   *slots.Slot // requested for the next attempt; nil: none yet
	unused bool        // the next attempt begins once nothing else is in the worker
	log    hclog.Logger
}

// newTask makes what does an operation, and has it wait for its slot. It is nil where the
// operation is none that is known.
func (o *Operations[H]) newTask(op supervisor.Operation) *task[H] {
	kind, known := kinds[op.Kind]
	if !known {
		return nil
	}
	bounds, err := kind.bounds(op.Parameters)
	if err != nil {
		return nil
	}
	return &task[H]{Operations: o, Operation: op, kind: kind, bounds: bounds, slot: o.request(kind.queue, op, bounds.seconds),
		log: o.o.Log.With("user", op.User, "operation", op.ID, "kind", op.Kind)}
}

// run tries the operation until it has ended, or ctx has.
func (t *task[H]) run(ctx context.Context) {
	for !ended(t.Operation) && t.again(ctx) {
	}
}

// again tries the operation once, and says whether there is to be another attempt. A worker's death
// counts where nothing else was in the worker; where something was, the next attempt waits until
// nothing is.
func (t *task[H]) again(ctx context.Context) bool {
	result, err := t.attempt(ctx)
	failed, broken := new(supervisor.Error), new(pool.BrokenError)
	switch {
	case err == nil:
		t.move(ctx, t.ID, supervisor.OperationDone, string(result))
		return false
	case ctx.Err() != nil: // it is done again after the start, or was cancelled
		return false
	case errors.As(err, &failed):
		t.fail(ctx, failed.Message, err)
		return false
	case errors.Is(err, errYielded):
		return t.move(ctx, t.ID, supervisor.OperationWaiting, "")
	case errors.As(err, &broken):
		return t.move(ctx, t.ID, supervisor.OperationWaiting, "") && retry.Wait(ctx, broken.Until.Sub(t.o.Now())+time.Millisecond)
	}
	t.Discard(t.ID)
	if shared := errors.Is(err, errShared); shared || !pool.IsDeath(err) {
		t.log.Warn("worker ended in an operation, for something else maybe", "error", err)
		t.unused = shared
		return t.move(ctx, t.ID, supervisor.OperationWaiting, "")
	}
	counted := false
	if t.Operation, counted = retry.Persist(ctx, t.log, "count a worker's death", func() (supervisor.Operation, error) {
		return t.o.Store.CountDeath(ctx, t.ID, fmt.Sprintf(textParked, supervisor.MaxDeaths))
	}); counted {
		t.log.Warn("worker ended in an operation", "deaths", t.Deaths, "error", err)
	}
	return counted
}

// fail keeps that an operation cannot be done.
func (t *task[H]) fail(ctx context.Context, text string, why error) {
	t.log.Warn("an operation failed", "error", why)
	t.Discard(t.ID)
	t.move(ctx, t.ID, supervisor.OperationFailed, text)
}

// move keeps that an operation has another state.
func (o *Operations[H]) move(ctx context.Context, id int64, to supervisor.OperationState, result string) bool {
	_, ok := retry.Persist(ctx, o.o.Log, "keep an operation's state", func() (struct{}, error) {
		return struct{}{}, o.o.Store.Move(ctx, id, to, result)
	})
	return ok
}

// attempt has a worker do the operation once, when there is a slot for it. A *supervisor.Error
// says that it cannot be done. Any other error, with ctx not ended, is errYielded, a
// *pool.BrokenError or the worker's end.
//
// While it waits for its slot it has no worker, so that none is kept for it. One that is to begin
// in an unused worker waits for that first, so that no slot is kept for it.
func (t *task[H]) attempt(ctx context.Context) (json.RawMessage, error) {
	var worker *pool.Worker[H]
	var err error
	if t.unused {
		if worker, err = t.acquire(ctx); err != nil {
			return nil, err
		}
		defer worker.Release()
	}
	if t.slot == nil {
		t.slot = t.request(t.kind.queue, t.Operation, t.bounds.seconds)
	}
	defer func() { t.slot.Release(); t.slot = nil }()
	if err := t.slot.Wait(ctx); err != nil {
		return nil, err
	}
	if !t.move(ctx, t.ID, supervisor.OperationRunning, "") {
		return nil, failure(textUnknown, errors.New("it has ended meanwhile"))
	}
	if worker == nil {
		if worker, err = t.acquire(ctx); err != nil {
			return nil, err
		}
		defer worker.Release()
	}
	return t.work(ctx, worker)
}

// acquire has a worker lent.
func (t *task[H]) acquire(ctx context.Context) (*pool.Worker[H], error) {
	spec, err := t.o.Spec(t.User, t.kind.profile)
	if err != nil {
		return nil, failure(textNoWorker, err)
	}
	spec.Unused = t.unused
	if t.kind.queue == queueOneShot {
		spec.Key = fmt.Sprintf("%s/%d", t.Kind, t.ID)
	}
	worker, err := t.o.Pool.Acquire(ctx, spec)
	refused, broken := new(pool.RefusedError), new(pool.BrokenError)
	switch {
	case errors.As(err, &refused):
		return nil, failure(fmt.Sprintf(textRefused, refused.Reason), err)
	case errors.As(err, &broken) && t.kind.queue == queueOneShot:
		return nil, failure(textNoWorker, err)
	}
	return worker, err
}

// work has a worker do the operation.
func (t *task[H]) work(ctx context.Context, worker *pool.Worker[H]) (json.RawMessage, error) {
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(t.bounds.timeout, func() { cancel(errTimeout) })
	defer timer.Stop()
	start := protocol.OperationStart{Operation: t.ID, Kind: t.Kind, Parameters: json.RawMessage(t.Parameters)}
	attempt := Attempt{ID: t.ID, MaxBytes: t.bounds.maxBytes, MaxBlobs: t.bounds.maxBlobs, Seconds: t.bounds.seconds}
	var err error
	if t.kind.queue == queueOneShot {
		if attempt.Spool, err = t.openFolder(t.ID); err != nil {
			return nil, failure(textNoFolder, err)
		}
		defer attempt.Spool.Close()
	}
	if t.bounds.seconds > 0 {
		pieces := piecework[H]{task: t, timer: timer, end: cancel}
		if start.Pieces, err = t.o.Store.Pieces(ctx, t.ID); err != nil {
			return nil, failure(textNoFolder, err)
		}
		attempt.Pieces, attempt.Piece, attempt.Progress = start.Pieces, pieces.piece, pieces.progress
	}
	worker.Host().BeginOperation(attempt)
	var end protocol.OperationEnd
	err = worker.Call(bounded, protocol.MethodOperationStart, start, &end)
	committed := worker.Host().EndOperation(t.ID)
	return t.ended(worker, end, committed, err, context.Cause(bounded))
}

// ended is what an operation has come to whose worker has answered with end or err, or does not
// answer; cause is why it was ended, nil where it was not.
func (t *task[H]) ended(worker *pool.Worker[H], end protocol.OperationEnd, committed []protocol.BlobRef, err, cause error) (json.RawMessage, error) {
	said := new(protocol.Error)
	switch {
	case errors.Is(cause, errTimeout):
		worker.Kill(errTimeout)
		return nil, failure(textTimeout, errTimeout)
	case errors.As(err, &said) && cause != nil:
		return nil, cause
	case errors.As(err, &said):
		return nil, failure(textFailed, err)
	case err != nil:
		worker.Kill(err)
		<-worker.Died()
		if worker.Shared() {
			err = fmt.Errorf("%w; %w", err, errShared)
		}
		return nil, fmt.Errorf("%w; %w", err, worker.Err())
	}
	if err := t.kind.check(t.Parameters, end.Result, committed); err != nil {
		t.o.Audit(t.User, "worker.offence", fmt.Sprintf("the result of operation %d: %v", t.ID, err))
		worker.Kill(err)
		return nil, failure(textFailed, err)
	}
	return end.Result, nil
}

// failure is the error of an operation that cannot be done.
func failure(text string, err error) error {
	return &supervisor.Error{Code: supervisor.CodeUnavailable, Message: text, Err: err}
}
