package undo

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// rememberedOperations is a worker that finds operations again by their inbounds. The database does
// the same.
type rememberedOperations struct {
	worker
	of map[int64]supervisor.Operation
}

func (o rememberedOperations) Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error) {
	if there, ok := o.of[op.Inbound]; ok && op.Inbound != 0 {
		return there, nil
	}
	op, err := o.worker.Start(ctx, op)
	o.of[op.Inbound] = op
	return op, err
}

// killedRows are rows of a supervisor that is killed before it records an undo.
type killedRows struct{ changeRows }

var errKilled = errors.New("killed")

func (killedRows) RecordUndo(context.Context, supervisor.UndoneChanges) error { return errKilled }

func TestUndo_RepeatedCommand_KeepsRedo(t *testing.T) {
	rows := changeRows{changes: []supervisor.FileChange{spanOf("rm a", 3, 4)}}
	var asked protocol.UndoParameters
	inverse := &protocol.HistorySpan{From: 20, To: 21}
	operations := rememberedOperations{worker{protocol.UndoResult{Changes: []protocol.UndoneChange{
		undone(protocol.UndoneSpan{Restored: paths(1, "a"), Span: inverse})}}, &asked},
		map[int64]supervisor.Operation{}}
	u := New(Options{Now: time.Now, Store: killedRows{rows}, Operations: operations})
	const inbound = 77
	if _, err := u.UndoTurn(t.Context(), "alice", inbound, 1, 0, false); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	// a second operation would find everything undone, and have no span
	asked = protocol.UndoParameters{}
	var recorded supervisor.UndoneChanges
	u.Store = spanRows{rows, &recorded}
	if _, err := u.UndoTurn(t.Context(), "alice", inbound, 1, 0, false); err != nil || len(asked.Changes) > 0 ||
		len(recorded.Spans) != 1 || *recorded.Spans[0].Inverse != *inverse {
		t.Errorf("recorded %+v, asked for %+v, %v", recorded, asked, err)
	}
	// the answer was lost too: now the command finds an earlier turn
	rows.changes = []supervisor.FileChange{spanOf("rm b", 1, 2)}
	u.Store = spanRows{rows, &recorded}
	_, err := u.UndoTurn(t.Context(), "alice", inbound, 1, 0, false)
	if err == nil || !strings.Contains(err.Error(), textUndoneBefore) || len(asked.Changes) > 0 {
		t.Errorf("asked for %+v, %v", asked, err)
	}
}
