package operation_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

// arriving returns an operation for a file of a user's message.
func (r *rig) arriving(user string) supervisor.Operation {
	r.Helper()
	in, _, err := r.db.Inbox().StoreInbound(r.Context(),
		supervisor.Inbound{Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelTelegram},
			Source: "bot", Key: user, Kind: supervisor.KindText, Text: "hi"})
	if err != nil {
		r.Fatal(err)
	}
	return supervisor.Operation{User: user, Kind: protocol.OperationKindReceive, Parameters: `{"sent_at":1,"files":[]}`,
		Inbound: in.ID}
}

func (r *rig) state(id int64) supervisor.OperationState {
	r.Helper()
	op, _, err := r.db.Operations().Find(r.Context(), id)
	if err != nil {
		r.Fatal(err)
	}
	return op.State
}

// The operation of a user who is not served runs once the user is served again.
func TestStart_UnservedUser_Waits(t *testing.T) {
	r := newRig(t)
	r.unserved.Store("ann")
	r.startService()
	op, err := r.operations.Start(t.Context(), r.arriving("ann"))
	if err != nil {
		t.Fatal(err)
	}
	r.wait(r.receive("bob").ID) // this operation begins after Run has looked for waiting operations
	if state := r.state(op.ID); state != supervisor.OperationWaiting || len(r.pool.List()) != 1 {
		t.Errorf("it is %s, with %d workers", state, len(r.pool.List()))
	}
	r.unserved.Store("")
	r.operations.Wake()
	if op = r.wait(op.ID); op.State != supervisor.OperationDone {
		t.Errorf("it is %+v", op)
	}
}

func TestEndUserOperations_EndsAllOfUser(t *testing.T) {
	r := newRig(t)
	letGo := r.hold("ann", "hold-receive")
	defer letGo()
	r.startService()
	op, err := r.operations.Start(t.Context(), r.arriving("ann"))
	if err != nil {
		t.Fatal(err)
	}
	other := r.receive("bob")
	r.waitFor("it to run", func() bool { return r.state(op.ID) == supervisor.OperationRunning })
	r.unserved.Store("ann")
	if err := r.operations.EndUserOperations(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if op = r.wait(op.ID); op.State != supervisor.OperationFailed || !strings.Contains(op.Result, "no longer a user") {
		t.Errorf("it is %+v", op)
	}
	if other = r.wait(other.ID); other.State != supervisor.OperationDone {
		t.Errorf("of another: %+v", other)
	}
}

// An operation continues if only its caller stops waiting.
func TestRunOperation_CancelledWithCause_Fails(t *testing.T) {
	for name, c := range map[string]struct {
		why  error
		want supervisor.OperationState
	}{
		"a cause":          {errors.New("its person has dropped it"), supervisor.OperationFailed},
		"a deadline":       {context.DeadlineExceeded, supervisor.OperationFailed},
		"the service ends": {nil, supervisor.OperationRunning},
		"cancelled":        {context.Canceled, supervisor.OperationRunning},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			defer r.hold("ann", "hold-receive")()
			r.startService()
			ctx, cancel := context.WithCancelCause(t.Context())
			wanted := r.arriving("ann")
			done, shown := make(chan bool, 1), make(chan struct{})
			go func() {
				_, ok := r.operations.RunOperation(ctx, wanted, func(ctx context.Context,
					_ int64) {
					<-ctx.Done()
					close(shown)
				})
				done <- ok
			}()
			var id int64
			r.waitFor("it to run", func() bool {
				list, err := r.db.Operations().ListUnfinished(t.Context())
				if len(list) == 1 && err == nil {
					id = list[0].ID
				}
				return id != 0 && r.state(id) == supervisor.OperationRunning
			})
			cancel(c.why)
			<-shown
			if ok, state := <-done, r.state(id); ok || state != c.want {
				t.Errorf("done %t, and it is %s, want %s", ok, state, c.want)
			}
		})
	}
}
