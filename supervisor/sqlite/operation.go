package sqlite

import (
	"context"
	"slices"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// Operations stores the work of users' workers that is no turn.
type Operations struct{ db *DB }

// Operations returns the store of operations.
func (db *DB) Operations() Operations { return Operations{db} }

const (
	selectOperation = `SELECT id, user, kind, parameters, coalesce(inbound, 0), position, state, deaths, result, created_at, updated_at
		FROM operation `
	findOperation   = selectOperation + `WHERE id = ?`
	listOperations  = selectOperation + `WHERE user = ? ORDER BY id`
	openOperations  = selectOperation + `WHERE state IN ('waiting', 'running') ORDER BY id`
	insertOperation = `INSERT INTO operation (user, kind, parameters, inbound, position, state, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, 'waiting', ?, ?) RETURNING id`
	findOperationOf = selectOperation + `WHERE inbound = ? AND kind = ? AND position = ?`
	moveOperation   = `UPDATE operation SET state = ?, result = ?, updated_at = ? WHERE id = ?`
	killOperation   = `UPDATE operation SET deaths = deaths + 1, updated_at = ? WHERE id = ?`
	listPieces      = `SELECT text, language FROM operation_piece WHERE operation = ? ORDER BY position`
	insertPiece     = `INSERT INTO operation_piece (operation, position, user, language, text) SELECT id, ?, user, ?, ? FROM operation WHERE id = ?`
	deletePieces    = `DELETE FROM operation_piece WHERE operation = ?`
	deleteOperation = `DELETE FROM operation WHERE id = ? AND state NOT IN ('waiting', 'running')`
	endedOperations = selectOperation + `WHERE kind = ? AND inbound IS NULL AND state NOT IN ('waiting', 'running') AND updated_at < ?
		ORDER BY updated_at`
)

// Put stores a new operation and returns it. It reads the fields up to Position. If the attachment
// already has an operation of that kind, Put returns the existing operation. Put fails for a
// dropped inbound.
func (s Operations) Put(ctx context.Context, o supervisor.Operation) (supervisor.Operation, error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Operation {
		if o.Inbound != 0 {
			if there, ok := one(t, scanOperation, findOperationOf, o.Inbound, o.Kind, o.Position); ok {
				return there
			}
			if in := t.inbound(o.Inbound); in.State == supervisor.InboundDropped {
				t.fail(invalid("inbound %d is dropped", in.ID))
			}
		}
		return t.operation(t.Insert(insertOperation, o.User, o.Kind, o.Parameters, orNull(o.Inbound), o.Position, t.Now, t.Now))
	}, "store an operation %s of %s", o.Kind, o.User)
}

// Find returns the operation with an id, if there is one.
func (s Operations) Find(ctx context.Context, id int64) (supervisor.Operation, bool, error) {
	return engine.FirstRow(s.db.reader(ctx, "find operation %d", id), scanOperation, findOperation, id)
}

// FindByAttachment returns the operation with the kind and the attachment of o, if any.
func (s Operations) FindByAttachment(ctx context.Context, o supervisor.Operation) (supervisor.Operation, bool, error) {
	return engine.FirstRow(s.db.reader(ctx, "find the operation %s of inbound %d", o.Kind, o.Inbound), scanOperation,
		findOperationOf,
		orNull(o.Inbound), o.Kind, o.Position)
}

// List lists a user's operations, oldest first.
func (s Operations) List(ctx context.Context, user string) ([]supervisor.Operation, error) {
	return engine.AllRows(s.db.reader(ctx, "list the operations of %s", user), scanOperation, listOperations, user)
}

// ListUnfinished lists all users' waiting and running operations, oldest first. The service calls
// this method when it starts, before any operation runs.
func (s Operations) ListUnfinished(ctx context.Context) ([]supervisor.Operation, error) {
	return engine.AllRows(s.db.reader(ctx, "list the unfinished operations"), scanOperation, openOperations)
}

// operationTransitions lists the allowed next states of each state of an operation. A running
// operation may begin again.
var operationTransitions = map[supervisor.OperationState][]supervisor.OperationState{
	supervisor.OperationWaiting: {supervisor.OperationRunning, supervisor.OperationFailed},
	supervisor.OperationRunning: {supervisor.OperationRunning, supervisor.OperationDone, supervisor.OperationFailed,
		supervisor.OperationWaiting, supervisor.OperationParked},
}

// ChangeState changes an operation's state. If the operation ends, ChangeState stores its result.
// It fails if the current state does not allow the new state.
func (s Operations) ChangeState(ctx context.Context, id int64, to supervisor.OperationState, result string) error {
	return s.db.write(ctx, func(t *tx) { t.moveOperation(t.operation(id), to, result) }, "move operation %d to state %s", id, to)
}

// CountWorkerDeath counts a worker that crashed in a running operation. It returns the operation.
// The operation then waits to run again. After MaxDeaths crashes it is parked, with the argument
// why as its result.
func (s Operations) CountWorkerDeath(ctx context.Context, id int64, why string) (supervisor.Operation, error) {
	return inTransaction(ctx, s.db, func(t *tx) supervisor.Operation {
		o := t.operation(id)
		t.Exec(killOperation, t.Now, id)
		to, result := supervisor.OperationWaiting, ""
		if o.Deaths++; o.Deaths >= supervisor.MaxWorkerDeaths {
			to, result = supervisor.OperationParked, why
		}
		t.moveOperation(o, to, result)
		o.State, o.Result, o.UpdatedAt = to, result, fromMillis(t.Now)
		return o
	}, "count a worker crash of operation %d", id)
}

// PutPiece stores a transcribed piece of a recording. The argument position is the piece's number,
// from 0. The pieces are deleted when the operation ends.
func (s Operations) PutPiece(ctx context.Context, id int64, position int, p protocol.TranscribedPiece) error {
	return s.db.write(ctx, func(t *tx) {
		t.operation(id)
		t.Exec(insertPiece, position, p.Language, p.Text, id)
	}, "store piece %d of operation %d", position, id)
}

// ListPieces lists the transcribed pieces of a recording, in order.
func (s Operations) ListPieces(ctx context.Context, id int64) ([]protocol.TranscribedPiece, error) {
	return engine.AllRows(s.db.reader(ctx, "list the pieces of operation %d", id),
		func(r *engine.Row) (p protocol.TranscribedPiece) {
			r.Scan(&p.Text, &p.Language)
			return p
		}, listPieces, id)
}

// Delete deletes an ended operation. If the operation is missing or has not ended, Delete does
// nothing.
func (s Operations) Delete(ctx context.Context, id int64) error {
	return s.db.write(ctx, func(t *tx) { t.Exec(deleteOperation, id) }, "delete operation %d", id)
}

// ListEnded lists operations of a kind that no inbound asked for, oldest first. All of them ended
// before a time.
func (s Operations) ListEnded(ctx context.Context, kind protocol.OperationKind,
	before time.Time) ([]supervisor.Operation, error) {
	return engine.AllRows(s.db.reader(ctx, "list the ended operations %s", kind), scanOperation, endedOperations, kind,
		before.UnixMilli())
}

// DeleteWithEffect deletes an ended operation, and stores its effect, in one transaction. If the
// operation was deleted before, no effect is stored.
func (s Operations) DeleteWithEffect(ctx context.Context, id int64, e supervisor.Effect) error {
	return s.db.write(ctx, func(t *tx) {
		if t.ExecCount(deleteOperation, id) > 0 {
			t.putEffect(e)
		}
	}, "delete operation %d with an effect", id)
}

// moveOperation changes an operation's state; no other function does. The argument o must have been
// read in this transaction.
func (t *tx) moveOperation(o supervisor.Operation, to supervisor.OperationState, result string) {
	if !slices.Contains(operationTransitions[o.State], to) {
		t.fail(invalid("operation %d is %s and cannot become %s", o.ID, o.State, to))
	}
	t.Exec(moveOperation, to, result, t.Now, o.ID)
	if len(operationTransitions[to]) == 0 {
		t.Exec(deletePieces, o.ID)
		// The parameters of a log operation hold the user's words and are not needed any more.
		if o.Kind == protocol.OperationKindLog {
			t.Exec(deleteOperation, o.ID)
		}
	}
}

func (t *tx) operation(id int64) supervisor.Operation {
	return byID(t, "operation", scanOperation, findOperation, id)
}

func scanOperation(row *engine.Row) (o supervisor.Operation) {
	row.Scan(&o.ID, &o.User, &o.Kind, &o.Parameters, &o.Inbound, &o.Position, &o.State, &o.Deaths, &o.Result, &o.CreatedAt, &o.UpdatedAt)
	return o
}
