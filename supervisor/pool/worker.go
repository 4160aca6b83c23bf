package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"mews/protocol"
)

// Worker is one lease of a worker. Its methods may be called from any goroutine, until Release.
type Worker[H Host] struct {
	managed  *managedWorker[H]
	process  *process[H]
	turns    atomic.Int32 // turns answered under this lease
	released atomic.Bool
	shared   atomic.Bool
}

// Call calls the worker; see protocol.Conn.Call. An invalid answer ends the worker.
func (w *Worker[H]) Call(ctx context.Context, method string, params, result any) error {
	err := w.process.conn.Call(ctx, method, params, result)
	var answer *protocol.Error
	switch {
	case errors.Is(err, protocol.ErrProtocol):
		w.process.stop(err)
	case method == protocol.MethodTurnStart && (err == nil || errors.As(err, &answer)):
		w.turns.Add(1)
	}
	return err
}

// Host returns the Host of this worker, as made by Options.Host. It is the zero value if the worker
// has no user.
func (w *Worker[H]) Host() H { return w.process.host }

// Shared reports whether somebody else has had the worker, too, during this lease.
func (w *Worker[H]) Shared() bool { return w.shared.Load() }

// Release ends the lease. Later calls do nothing.
func (w *Worker[H]) Release() {
	if w.released.CompareAndSwap(false, true) {
		w.managed.do(func() { w.managed.release(w) })
	}
}

// Kill ends the worker for everybody who has it. Its socket is closed, and if it does not end, it
// is signalled. It counts as a death. The lease must still be released.
func (w *Worker[H]) Kill(reason error) { w.process.stop(reason) }

// Died is closed when the worker's process and all its descendants are gone. Calls fail earlier,
// when the connection ends.
func (w *Worker[H]) Died() <-chan struct{} { return w.process.died }

// Err returns how the worker ended, an *EndError, or nil before Died is closed.
func (w *Worker[H]) Err() error {
	select {
	case <-w.process.died:
		return w.process.err
	default:
		return nil
	}
}

// End releases a one-shot worker and waits for its end. If err is not nil, it returns err with the
// worker's last output.
func (w *Worker[H]) End(err error) error {
	w.Release()
	<-w.Died()
	if end := new(EndError); err != nil && errors.As(w.Err(), &end) && len(end.Stderr) > 0 {
		err = fmt.Errorf("%w; the worker wrote: %s", err, strings.Join(end.Stderr, "; "))
	}
	return err
}
