package filehistory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/markdown"
)

const (
	// maxCallWait is how long a call waits for a restore. It is shorter than a client's limit.
	maxCallWait = 20 * time.Second
	// abandonedAfter is the age from which no client asks for an ended operation any more.
	abandonedAfter = 2 * time.Minute
	// byAdmin is the position of an operation that restores a version for an admin. Other file history
	// operations have position 0.
	byAdmin = 1
)

// restoreByCall restores a version for a control call. If that takes long, the report has the
// operation, with which the client asks again. If no client asks again, finishAbandoned finishes
// the operation.
func (h *FileHistory) restoreByCall(ctx context.Context, user string, asked request, q Query,
	p protocol.FileHistoryParameters) (r Report, err error) {
	r.Path = asked.path
	op := supervisor.Operation{ID: q.Operation, User: user, Kind: protocol.OperationKindFileHistory}
	if asked.admin {
		op.Position = byAdmin
	}
	if q.Operation != 0 {
		err = h.checkRestore(ctx, op)
	} else if err = h.checkOn(user); err == nil {
		op, err = h.start(ctx, op, p)
	}
	if err != nil {
		return r, err
	}
	wait, cancel := context.WithTimeout(ctx, h.callWait)
	defer cancel()
	ended, err := h.Operations.Wait(wait, op.ID)
	switch {
	case err == nil:
		r.FileHistoryResult, err = h.finish(ctx, ended)
	case wait.Err() != nil && ctx.Err() == nil:
		r.Operation, err = op.ID, nil
	}
	return r, err
}

// checkRestore returns an error unless a call for the user started the operation. An admin's call
// may only wait for an operation that an admin started, because the audit log has that.
func (h *FileHistory) checkRestore(ctx context.Context, wanted supervisor.Operation) error {
	op, ok, err := h.Kept.Find(ctx, wanted.ID)
	if err == nil && (!ok || op.User != wanted.User || op.Kind != wanted.Kind || op.Inbound != 0 ||
		op.Position != wanted.Position) {
		err = supervisor.Errorf(supervisor.CodeNotFound, textNoRestore)
	}
	return err
}

// finish deletes an ended operation of a control call. It records the restore in the ledger. If
// that fails, it keeps the operation, unless its result or parameters can't be read.
func (h *FileHistory) finish(ctx context.Context, op supervisor.Operation) (r protocol.FileHistoryResult, err error) {
	if op.State != supervisor.OperationDone {
		if err := h.Kept.Delete(ctx, op.ID); err != nil {
			return r, err
		}
		return r, supervisor.Errorf(supervisor.CodeUnavailable, textFailed, markdown.EscapeSentence(op.Result))
	}
	var p protocol.FileHistoryParameters
	err = errors.Join(json.Unmarshal([]byte(op.Result), &r), json.Unmarshal([]byte(op.Parameters), &p))
	if err != nil {
		err = fmt.Errorf("read operation %d: %w", op.ID, err)
		return r, errors.Join(err, h.Kept.Delete(ctx, op.ID))
	}
	if r.Span == nil {
		return r, h.Kept.Delete(ctx, op.ID)
	}
	e := h.effect(op.User, p, r)
	if op.Position == byAdmin {
		e.Kind = supervisor.EffectFilesRestoredByAdmin
		h.TellOnce(ctx, op.User, fmt.Sprint(noticeAdminRestore, " ", r.Span.To, " ", r.Span.Nonce),
			fmt.Sprintf(textAdminRestored, markdown.EscapeName(e.Target), e.Detail))
	}
	return r, h.Kept.DeleteWithEffect(ctx, op.ID, e)
}

// noticeAdminRestore begins the names of notices about restores by an admin.
const noticeAdminRestore = "admin restore"

// finishAbandoned finishes operations whose clients left before the end.
func (h *FileHistory) finishAbandoned(ctx context.Context) {
	list, err := h.Kept.ListEnded(ctx, protocol.OperationKindFileHistory, h.Now().Add(-abandonedAfter))
	for _, op := range list {
		if _, lost := h.finish(ctx, op); lost != nil && op.State == supervisor.OperationDone {
			err = errors.Join(err, lost)
		}
	}
	if err != nil && ctx.Err() == nil {
		h.Report(fmt.Errorf("finish what nobody waits for: %w", err))
	}
}
