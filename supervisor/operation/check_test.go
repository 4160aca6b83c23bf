package operation_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/operation"
)

var checkParameters = protocol.CheckParameters{Command: "true"}

// Operations that a user waits for do not wait for a running check.
func TestCheck_Running_DelaysNoOperation(t *testing.T) {
	r := newRig(t)
	r.startService()
	r.waitDone(r.receive("ann")) // this operation runs in the worker of the check
	letGo := r.hold("ann", "hold-look")
	var looks sync.WaitGroup
	for range 2 {
		looks.Go(func() {
			if _, err := r.operations.CheckCondition(t.Context(), "ann", checkParameters); err != nil {
				t.Error(err)
			}
		})
	}
	r.waitFor("two checks run", func() bool { return len(r.starts("ann")) == 3 })
	r.waitDone(r.receive("ann"))
	letGo()
	looks.Wait()
}

// A check that takes too long is cancelled, but its worker continues its other work.
func TestCheck_Timeout_KeepsWorker(t *testing.T) {
	t.Cleanup(operation.SetCheckTimeout(50 * time.Millisecond))
	r := newRig(t)
	r.startService()
	letGo, never := r.hold("ann", "hold-receive"), r.hold("ann", "hold-look")
	op := r.receive("ann")
	r.waitFor("it runs", func() bool { return len(r.starts("ann")) == 1 })
	_, err := r.operations.CheckCondition(t.Context(), "ann", checkParameters)
	if supervisor.ErrorCodeOf(err) != supervisor.CodeUnavailable || errors.Is(err, supervisor.ErrCheckAgain) {
		t.Errorf("it ends with %v", err)
	}
	letGo()
	r.waitDone(op)
	if _, processes := r.runs("ann"); len(processes) > 1 {
		t.Errorf("it took the workers %q", processes)
	}
	never()
}
