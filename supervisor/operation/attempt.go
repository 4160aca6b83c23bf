package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/pool"
	"mews/supervisor/retry"
)

// kinds has a row for each kind of operation.
var kinds = map[protocol.OperationKind]struct {
	profile  pool.Profile                                     // of the worker that does it
	timeout  time.Duration                                    // of one attempt
	keep     time.Duration                                    // how long what it committed is kept after its end
	maxBytes func(parameters string) (bytes int64, err error) // of what it may commit
	// check says what is wrong with a result that no honest worker sends.
	check func(result json.RawMessage, committed []protocol.BlobRef) error
}{
	protocol.OperationArchive: {profile: pool.ProfileArchive, timeout: 30 * time.Minute, keep: time.Hour,
		maxBytes: archiveBytes, check: checkArchive},
}

func archiveBytes(parameters string) (int64, error) {
	var p protocol.ArchiveParameters
	err := protocol.DecodeStrict([]byte(parameters), &p)
	return p.MaxBytes, err
}

func checkArchive(raw json.RawMessage, committed []protocol.BlobRef) error {
	var result protocol.ArchiveResult
	if err := protocol.DecodeStrict(raw, &result); err != nil {
		return err
	}
	if !slices.Contains(committed, result.Blob) {
		return errors.New("it names a blob that it has not committed")
	}
	return result.Check()
}

var errTimeout = errors.New("the operation took too long")

// run tries an operation until it has ended, or ctx has.
func (o *Operations[H]) run(ctx context.Context, op supervisor.Operation) {
	log := o.o.Log.With("user", op.User, "operation", op.ID, "kind", op.Kind)
	for !ended(op) && o.move(ctx, op.ID, supervisor.OperationRunning, "") { // else it has ended meanwhile, or ctx has
		result, err := o.attempt(ctx, op)
		failed := new(supervisor.Error)
		switch {
		case err == nil:
			o.move(ctx, op.ID, supervisor.OperationDone, string(result))
			return
		case ctx.Err() != nil:
			return // it is done again after the start
		case errors.As(err, &failed):
			log.Warn("an operation failed", "error", err)
			o.Discard(op.ID)
			o.move(ctx, op.ID, supervisor.OperationFailed, failed.Message)
			return
		}
		o.Discard(op.ID)
		counted := false
		if op, counted = retry.Persist(ctx, log, "count a worker's death", func() (supervisor.Operation, error) {
			return o.o.Store.CountDeath(ctx, op.ID, fmt.Sprintf(textParked, supervisor.MaxDeaths))
		}); !counted {
			return
		}
		log.Warn("worker ended in an operation", "deaths", op.Deaths, "error", err)
	}
}

// move keeps that an operation has another state.
func (o *Operations[H]) move(ctx context.Context, id int64, to supervisor.OperationState, result string) bool {
	_, ok := retry.Persist(ctx, o.o.Log, "keep an operation's state", func() (struct{}, error) {
		return struct{}{}, o.o.Store.Move(ctx, id, to, result)
	})
	return ok
}

// attempt has a worker do an operation once. A *supervisor.Error says that the operation cannot be done. Any other error, with
// ctx not ended, is the worker's death.
func (o *Operations[H]) attempt(ctx context.Context, op supervisor.Operation) (json.RawMessage, error) {
	kind, known := kinds[op.Kind]
	if !known {
		return nil, failure(textUnknown, fmt.Errorf("kind %q", op.Kind))
	}
	spec, err := o.o.Spec(op.User, kind.profile)
	if err != nil {
		return nil, failure(textNoWorker, err)
	}
	spec.Key = fmt.Sprintf("%s/%d", op.Kind, op.ID)
	maxBytes, err := kind.maxBytes(op.Parameters)
	if err != nil {
		return nil, failure(textUnknown, err)
	}
	blobs, err := o.openFolder(op.ID)
	if err != nil {
		return nil, failure(textNoFolder, err)
	}
	defer blobs.Close()
	worker, err := o.o.Pool.Acquire(ctx, spec)
	refused, broken := new(pool.RefusedError), new(pool.BrokenError)
	switch {
	case errors.As(err, &refused):
		return nil, failure(fmt.Sprintf(textRefused, refused.Reason), err)
	case errors.As(err, &broken):
		return nil, failure(textNoWorker, err)
	case err != nil:
		return nil, err
	}
	defer worker.Release()
	worker.Host().BeginOperation(op.ID, blobs, maxBytes)
	bounded, cancel := context.WithTimeoutCause(ctx, kind.timeout, errTimeout)
	defer cancel()
	start := protocol.OperationStart{Operation: op.ID, Kind: op.Kind, Parameters: json.RawMessage(op.Parameters)}
	var end protocol.OperationEnd
	err = worker.Call(bounded, protocol.MethodOperationStart, start, &end)
	committed := worker.Host().EndOperation(op.ID)
	said := new(protocol.Error)
	switch {
	case errors.Is(context.Cause(bounded), errTimeout):
		worker.Kill(errTimeout)
		return nil, failure(textTimeout, errTimeout)
	case errors.As(err, &said):
		return nil, failure(textFailed, err)
	case err != nil:
		worker.Kill(err)
		<-worker.Died()
		return nil, fmt.Errorf("%w; %w", err, worker.Err())
	}
	if err := kind.check(end.Result, committed); err != nil {
		o.o.Audit(op.User, "worker.offence", fmt.Sprintf("the result of operation %d: %v", op.ID, err))
		worker.Kill(err)
		return nil, failure(textFailed, err)
	}
	return end.Result, nil
}

// failure is the error of an operation that cannot be done.
func failure(text string, err error) error {
	return &supervisor.Error{Code: supervisor.CodeUnavailable, Message: text, Err: err}
}
