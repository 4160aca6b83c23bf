package undo

import (
	"context"
	"fmt"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/spool"
)

// changeRows are the changes of one turn of alice. No change has been undone.
type changeRows struct {
	Store
	changes []supervisor.FileChange
}

func (changeRows) FindTurnUser(context.Context, int64) (string, error) { return "alice", nil }

func (r changeRows) ListChanges(context.Context, string, int64, int64) ([]supervisor.FileChange, error) {
	return r.changes, nil
}

// This test tries changes with a lost content, changes that can't be taken back, and changes of the
// same files.
func TestUndo_LostOrUnsafeChanges_Stay(t *testing.T) {
	now := time.Now()
	change := func(path, not string, age time.Duration) supervisor.FileChange {
		return supervisor.FileChange{Undo: protocol.Undo{Path: path, Obstacle: not}, CreatedAt: now.Add(-age)}
	}
	u := New(Options{Now: func() time.Time { return now }, Store: changeRows{changes: []supervisor.FileChange{
		change("old", "", spool.Retention+1), change("large", "it was large", 0), change("large", "", 0),
		change("a.out", protocol.ObstacleProgramChange, 0),
	}}})
	report, err := u.UndoTurn(t.Context(), "alice", 1, 0, false)
	want := map[Outcome][]string{OutcomeExpired: {"old"}, OutcomeImpossible: {"large" + whyMark + "it was large"}, OutcomeProgram: {"a.out"}}
	if err != nil || fmt.Sprint(report.Paths) != fmt.Sprint(want) {
		t.Errorf("reported is %q, %v, want %q", report.Paths, err, want)
	}
	if _, err := u.UndoTurn(t.Context(), "bob", 1, 0, false); supervisor.ErrorCodeOf(err) != supervisor.CodeForbidden {
		t.Errorf("somebody else's: %v", err)
	}
}
