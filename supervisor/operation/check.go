package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/pool"
	"mews/supervisor/printable"
)

// CheckCondition lets a user's worker check a condition, and waits for the result. If the user has
// no worker, it starts a one-shot worker. The check is not stored, so after a crash the caller
// begins it again. A temporary error wraps supervisor.ErrCheckAgain. A *supervisor.Error without
// ErrCheckAgain is for the user.
func (o *Operations[H]) CheckCondition(ctx context.Context, user string, p protocol.CheckParameters) (
	r protocol.CheckResult, err error) {
	return r, o.runUnstored(ctx, user, protocol.OperationKindCheck, p, &r)
}

// ListAgenda lets a user's worker list an agenda and report reminders. It works as CheckCondition
// does.
func (o *Operations[H]) ListAgenda(ctx context.Context, user string, p protocol.AgendaParameters) (
	r protocol.AgendaResult, err error) {
	return r, o.runUnstored(ctx, user, protocol.OperationKindAgenda, p, &r)
}

// runUnstored runs an operation of a kind in a user's worker, or in a one-shot worker, and decodes
// its result.
func (o *Operations[H]) runUnstored(ctx context.Context, user string, kind protocol.OperationKind, p,
	result any) error {
	parameters, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("check for %s: %w", user, err)
	}
	own, done, served := o.userWork.BeginWork(ctx, user, func() bool { return o.o.Serves == nil || o.o.Serves(user) })
	if !served {
		return fmt.Errorf("check for %s: %w: they are not served", user, supervisor.ErrCheckAgain)
	}
	defer done()
	t := o.newExecution(supervisor.Operation{ID: firstIndex + o.homes.lastID.Add(1), User: user,
		Kind: kind, Parameters: string(parameters)})
	if t == nil {
		return failure(textUnknown, errors.New("check: the parameters can't be read"))
	}
	defer t.slot.Release()
	if err := t.slot.Wait(own); err != nil {
		return fmt.Errorf("check for %s: %w: %w", user, supervisor.ErrCheckAgain, err)
	}
	raw, err := t.checkOnce(own)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

// checkOnce lets the user's worker check the condition, or starts a worker.
func (t *execution[H]) checkOnce(ctx context.Context) (json.RawMessage, error) {
	if worker, there := t.o.Pool.Find(t.User); there {
		raw, err := t.checkWith(ctx, worker)
		if !errors.Is(err, protocol.ErrClosed) { // the worker has just ended, so start another one
			return raw, err
		}
	}
	spec, err := t.o.Spec(t.User, t.kind.profile)
	if err != nil {
		return nil, failure(textNoWorker, err)
	}
	spec.Key = fmt.Sprintf("%s/%d", t.Kind, t.ID)
	worker, err := t.o.Pool.Acquire(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("check for %s: %w: %w", t.User, supervisor.ErrCheckAgain, err)
	}
	raw, err := t.checkWith(ctx, worker)
	if err != nil {
		if errors.Is(err, errTimeout) {
			worker.Kill(err)
		}
		return nil, worker.ReleaseAndWait(err)
	}
	worker.Release() // a one-shot worker ends by itself
	return raw, nil
}

// checkWith lets a worker check the condition. If the worker reports an error, the error is for the
// user. If the worker ends, the error is temporary. After the timeout only the call is cancelled,
// because the worker may have other work.
func (t *execution[H]) checkWith(ctx context.Context, worker *pool.Worker[H]) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, t.bounds.timeout, errTimeout)
	defer cancel()
	worker.Host().BeginOperation(Attempt{ID: t.ID, Command: t.bounds.command})
	var end protocol.OperationEnd
	err := worker.Call(ctx, protocol.MethodOperationStart,
		protocol.OperationStart{Operation: t.ID, Kind: t.Kind, Parameters: json.RawMessage(t.Parameters)}, &end)
	worker.Host().EndOperation(t.ID)
	said := new(protocol.Error)
	switch {
	case errors.As(err, &said) && ctx.Err() == nil:
		return nil, &supervisor.Error{Code: supervisor.CodeInvalid, Err: err,
			Message: printable.DropControls(t.workerError(said.Message))}
	case errors.Is(context.Cause(ctx), errTimeout):
		return nil, failure(textTimeout, errTimeout)
	case err != nil:
		return nil, fmt.Errorf("check for %s: %w: %w", t.User, supervisor.ErrCheckAgain, err)
	}
	if err := t.kind.check(t.Parameters, end.Result, nil); err != nil {
		t.o.Audit(t.User, "worker.offence", fmt.Sprintf("the result of operation %d: %v", t.ID, err))
		worker.Kill(err)
		return nil, failure(textFailed, err)
	}
	return end.Result, nil
}

// workerError returns a worker's error for the user, without the operation's name, which is for the
// log.
func (t *execution[H]) workerError(text string) string {
	return strings.TrimPrefix(text, fmt.Sprintf("operation %d (%s): ", t.ID, t.Kind))
}
