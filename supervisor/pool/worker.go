package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"mews/protocol"
)

// Worker is a lease of a worker. Until Release, its methods are safe for several goroutines.
type Worker[H Host] struct {
	managed  *managedWorker[H]
	process  *process[H]
	turns    atomic.Int32 // number of turns answered since the session took the worker
	released atomic.Bool
	shared   atomic.Bool
}

// Call calls the worker as protocol.Conn.Call does. An invalid answer ends the worker.
func (w *Worker[H]) Call(ctx context.Context, method string, params, result any) error {
	err := w.process.conn.Call(ctx, method, params, result)
	var answer *protocol.Error
	switch {
	case errors.Is(err, protocol.ErrProtocolBroken):
		w.process.stop(err)
	case method == protocol.MethodTurnStart && (err == nil || errors.As(err, &answer)):
		w.turns.Add(1)
	}
	return err
}

// Host returns the Host that Options.Host made for this worker. For a worker without a user it is
// the zero value.
func (w *Worker[H]) Host() H { return w.process.host }

// WasShared reports whether another lease of the worker existed during this lease.
func (w *Worker[H]) WasShared() bool { return w.shared.Load() }

// Release ends the lease. A second call does nothing.
func (w *Worker[H]) Release() {
	if w.released.CompareAndSwap(false, true) {
		w.managed.do(func() { w.managed.release(w) })
	}
}

// Kill ends the worker for all its leases, and counts a death. If reason is context.Canceled, the
// service ends, which is no death. The worker's socket is closed; if the worker does not end, it
// gets signals. The lease must still be released.
func (w *Worker[H]) Kill(reason error) {
	if errors.Is(reason, context.Canceled) {
		reason = errShutdown
	}
	w.process.stop(reason)
}

// Done is closed when the worker's process and all its descendants are gone. Calls fail earlier,
// when the connection ends.
func (w *Worker[H]) Done() <-chan struct{} { return w.process.died }

// Err returns an *WorkerEndError that says how the worker ended. Before that end, it returns nil.
func (w *Worker[H]) Err() error {
	select {
	case <-w.process.died:
		return w.process.err
	default:
		return nil
	}
}

// ReleaseAndWait releases a one-shot worker and waits for its end. If err is not nil, it returns
// err with the worker's last output.
func (w *Worker[H]) ReleaseAndWait(err error) error {
	w.Release()
	<-w.Done()
	if end := new(WorkerEndError); err != nil && errors.As(w.Err(), &end) && len(end.Stderr) > 0 {
		err = fmt.Errorf("%w; the worker wrote: %s", err, strings.Join(end.Stderr, "; "))
	}
	return err
}
