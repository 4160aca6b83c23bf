package session_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"mews/supervisor"
	"mews/supervisor/session"
	"mews/supervisor/sqlite/sqlitetest"
)

// turnLeases records its calls.
type turnLeases struct {
	mu   sync.Mutex // guards the fields below
	told []string
}

func (a *turnLeases) NextTurnLease(c supervisor.Conversation) *supervisor.LeaseRequest {
	return &supervisor.LeaseRequest{User: c.User, Conversation: c.ID, Spec: "a/b", Amount: 100}
}

func (a *turnLeases) BeginTurn(int64, supervisor.Lease, supervisor.LeaseRequest) { a.tell("begin") }

func (a *turnLeases) EndAttempt(context.Context, int64) error {
	a.tell("end")
	return errors.New("the disk is full")
}

func (a *turnLeases) tell(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told = append(a.told, what)
}

// TestTurnLease_EndsWithFirstAttempt checks that the lease from a turn's start pays only for its
// first attempt. The lease ends before the turn waits for a worker or continues.
func TestTurnLease_EndsWithFirstAttempt(t *testing.T) {
	var h *harness
	a := &turnLeases{}
	attempts := 0
	h = newHarness(t, func(ctx context.Context, at session.Attempt) (session.AttemptEnd, error) {
		if attempts++; attempts == 1 {
			if held := sqlitetest.QueryColumn(h, h.db, "SELECT amount FROM lease WHERE turn = ?",
				at.Turn.ID); !slices.Equal(held, []string{"100"}) {
				t.Errorf("set aside are %q", held)
			}
			a.tell("attempt")
			return session.AttemptEnd{}, &session.NoWorkerError{Until: h.options.Now(), Err: errors.New("broken")}
		}
		a.tell("attempt")
		return h.echo(ctx, at)
	})
	h.options.Advances = a
	home := h.conversation("ann", "")
	end := h.live()
	h.say(home, "one")
	h.await(home, 2) // the first delivery says that no worker is available
	end()
	if want := []string{"begin", "attempt", "end", "attempt", "end"}; !slices.Equal(a.told, want) {
		t.Errorf("told were %q", a.told)
	}
}
