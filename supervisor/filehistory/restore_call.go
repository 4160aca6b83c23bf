package filehistory

import (
	"context"
	"encoding/json"
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
		err = h.checkRestore(ctx, user, q.Operation)
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

// checkRestore returns an error unless an operation was started by a call for a user.
func (h *FileHistory) checkRestore(ctx context.Context, user string, operation int64) error {
	op, ok, err := h.Kept.Find(ctx, operation)
	if err == nil && (!ok || op.User != user || op.Kind != protocol.OperationKindFileHistory || op.Inbound != 0) {
		err = supervisor.Errorf(supervisor.CodeNotFound, textNoRestore)
	}
	return err
}

// finish deletes an ended operation of a control call. It records the restore in the ledger.
func (h *FileHistory) finish(ctx context.Context, op supervisor.Operation) (r protocol.FileHistoryResult, err error) {
	if op.State != supervisor.OperationDone {
		if err := h.Kept.Delete(ctx, op.ID); err != nil {
			return r, err
		}
		return r, supervisor.Errorf(supervisor.CodeUnavailable, textFailed, markdown.EscapeSentence(op.Result))
	}
	if err := json.Unmarshal([]byte(op.Result), &r); err != nil {
		return r, fmt.Errorf("read the result of operation %d: %w", op.ID, err)
	}
	if r.Span == nil {
		return r, h.Kept.Delete(ctx, op.ID)
	}
	var p protocol.FileHistoryParameters
	if err := json.Unmarshal([]byte(op.Parameters), &p); err != nil {
		return r, fmt.Errorf("read the parameters of operation %d: %w", op.ID, err)
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
			err = lost
		}
	}
	if err != nil && ctx.Err() == nil {
		h.Report(fmt.Errorf("finish what nobody waits for: %w", err))
	}
}
