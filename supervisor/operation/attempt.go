package operation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/slots"
	"mews/supervisor/pool"
	"mews/supervisor/printable"
	"mews/supervisor/spool"
)

// Attempt describes an operation to the host of the worker that will do it.
type Attempt struct {
	ID int64
	// spool for the committed blobs, which no worker may read; nil means the user's spool
	Spool    *spool.Spool
	MaxBytes int64 // limit of the size of all committed blobs together
	MaxBlobs int   // greatest number of committed blobs; 0 means no limit
	Index    bool  // whether the operation indexes the user's home
	Command  bool  // whether the operation is a check with a command

	// Fields for the transcription of a recording:

	Seconds int                         // length of the recording
	Pieces  []protocol.TranscribedPiece // pieces of the recording that are committed already
	// Piece commits the finished piece in p, if there is one, and allows the next piece that p
	// names. The calls come one by one.
	Piece    func(ctx context.Context, p protocol.OperationPiece) error
	Progress func(seconds int) // records how many seconds are transcribed; never blocks
}

// Reasons to end an attempt.
var (
	errTimeout   = errors.New("the operation took too long")
	errCancelled = errors.New("the operation was cancelled")
	errYielded   = errors.New("a shorter recording goes first")
	errShared    = errors.New("the worker had other work when it ended")
)

// execution is one run of an operation, with all its attempts.
type execution[H Host] struct {
	*Operations[H]
	supervisor.Operation
	kind   kind
	bounds bounds
	slot   *slots.Slot // the slot that was requested for the next attempt; nil means none yet
	unused bool        // whether the next attempt needs a worker without other work
	log    hclog.Logger
}

// newExecution makes an execution, which waits for its slot. It returns nil if the kind or the
// parameters are invalid.
func (o *Operations[H]) newExecution(op supervisor.Operation) *execution[H] {
	kind, known := kinds[op.Kind]
	if !known {
		return nil
	}
	bounds, err := kind.bounds(op.Parameters)
	if err != nil {
		return nil
	}
	return &execution[H]{Operations: o, Operation: op, kind: kind, bounds: bounds, slot: o.request(kind.queue, op, bounds.seconds),
		log: o.o.Log.With("user", op.User, "operation", op.ID, "kind", op.Kind)}
}

// run tries the operation until the operation or ctx has ended.
func (t *execution[H]) run(ctx context.Context) {
	for !ended(t.Operation) && t.tryOnce(ctx) {
	}
}

// tryOnce tries the operation once, and returns whether to try again. A worker's death counts only
// if the worker had no other work. Otherwise the next attempt waits for a worker without other
// work.
func (t *execution[H]) tryOnce(ctx context.Context) bool {
	result, err := t.attempt(ctx)
	failed, broken := new(supervisor.Error), new(pool.CrashLoopError)
	switch {
	case err == nil:
		t.setState(ctx, t.ID, supervisor.OperationDone, string(result))
		return false
	case ctx.Err() != nil: // the operation continues after a restart, or was cancelled
		return false
	case errors.As(err, &failed):
		t.fail(ctx, failed.Message, err)
		return false
	case errors.Is(err, errYielded):
		return t.setState(ctx, t.ID, supervisor.OperationWaiting, "")
	case errors.As(err, &broken):
		return t.setState(ctx, t.ID, supervisor.OperationWaiting, "") && retry.Sleep(ctx,
			broken.Until.Sub(t.o.Now())+time.Millisecond)
	}
	t.DeleteBlobs(t.ID)
	if shared := errors.Is(err, errShared); shared || !pool.IsWorkerDeath(err) || pool.IsSpawnerLost(err) {
		t.log.Warn("worker ended during an operation, maybe because of other work", "error", err)
		t.unused = shared
		return t.setState(ctx, t.ID, supervisor.OperationWaiting, "")
	}
	counted := false
	if t.Operation, counted = retry.StoreUntilDone(ctx, t.log, "count a worker's death", func() (supervisor.Operation,
		error) {
		return t.o.Store.CountWorkerDeath(ctx, t.ID, fmt.Sprintf(textParked, supervisor.MaxWorkerDeaths))
	}); counted {
		t.log.Warn("worker ended during an operation", "deaths", t.Deaths, "error", err)
	}
	return counted
}

// fail stores that the operation has failed.
func (t *execution[H]) fail(ctx context.Context, text string, why error) {
	t.log.Warn("operation failed", "error", why)
	t.DeleteBlobs(t.ID)
	t.setState(ctx, t.ID, supervisor.OperationFailed, text)
}

// setState stores the new state of an operation.
func (o *Operations[H]) setState(ctx context.Context, id int64, to supervisor.OperationState, result string) bool {
	_, ok := retry.StoreUntilDone(ctx, o.o.Log, "store an operation's state", func() (struct{}, error) {
		return struct{}{}, o.o.Store.ChangeState(ctx, id, to, result)
	})
	return ok
}

// attempt waits for a slot and lets a worker do the operation once. A *supervisor.Error means that
// the operation cannot be done. Unless ctx has ended, any other error is errYielded, a
// *pool.BrokenError or the worker's end.
//
// attempt usually takes the slot first, so that no worker waits for a slot. If the operation needs
// an unused worker, attempt takes the worker first, so that no slot waits for a worker.
func (t *execution[H]) attempt(ctx context.Context) (json.RawMessage, error) {
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
	if !t.setState(ctx, t.ID, supervisor.OperationRunning, "") {
		return nil, failure(textUnknown, errors.New("the operation has ended meanwhile"))
	}
	if worker == nil {
		if worker, err = t.acquire(ctx); err != nil {
			return nil, err
		}
		defer worker.Release()
	}
	return t.work(ctx, worker)
}

// acquire takes a worker from the pool.
func (t *execution[H]) acquire(ctx context.Context) (*pool.Worker[H], error) {
	spec, err := t.o.Spec(t.User, t.kind.profile)
	if err != nil {
		return nil, failure(textNoWorker, err)
	}
	spec.Unused = t.unused
	if t.kind.queue == queueOneShot {
		spec.Key = fmt.Sprintf("%s/%d", t.Kind, t.ID)
	}
	worker, err := t.o.Pool.Acquire(ctx, spec)
	refused, broken := new(pool.StartRefusedError), new(pool.CrashLoopError)
	switch {
	case errors.As(err, &refused):
		return nil, failure(fmt.Sprintf(textRefused, refused.Reason), err)
	case errors.As(err, &broken) && t.kind.queue == queueOneShot:
		return nil, failure(textNoWorker, err)
	}
	return worker, err
}

// work lets a worker do the operation.
func (t *execution[H]) work(ctx context.Context, worker *pool.Worker[H]) (json.RawMessage, error) {
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
		pieces := piecework[H]{execution: t, timer: timer, end: cancel}
		if start.Pieces, err = t.o.Store.ListPieces(ctx, t.ID); err != nil {
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

// ended returns the operation's result from its worker's answer, which is end or err. The parameter
// cause is why the supervisor ended the operation; nil means that the supervisor did not end it.
func (t *execution[H]) ended(worker *pool.Worker[H], end protocol.OperationEnd, committed []protocol.BlobRef, err, cause error) (json.RawMessage, error) {
	said := new(protocol.Error)
	switch {
	case errors.Is(cause, errTimeout):
		worker.Kill(errTimeout)
		return nil, failure(textTimeout, errTimeout)
	case errors.As(err, &said) && cause != nil:
		return nil, cause
	case errors.As(err, &said) && t.kind.tellsWhy:
		return nil, failure(reasonOf(said.Message, t.ID, t.Kind), err)
	case errors.As(err, &said):
		return nil, failure(textFailed, err)
	case err != nil:
		worker.Kill(err)
		<-worker.Done()
		if worker.WasShared() {
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

// maxReason is the most characters of a worker's reason.
const maxReason = 300

// reasonOf returns a worker's reason for the user, without the name of the operation.
func reasonOf(message string, id int64, kind protocol.OperationKind) string {
	reason := printable.DropControls(strings.TrimPrefix(message, fmt.Sprintf("operation %d (%s): ", id, kind)))
	if runes := []rune(reason); len(runes) > maxReason {
		reason = string(runes[:maxReason-1]) + "…"
	}
	return cmp.Or(reason, textFailed)
}

// failure returns the error of an operation that cannot be done.
func failure(text string, err error) error {
	return &supervisor.Error{Code: supervisor.CodeUnavailable, Message: text, Err: err}
}
