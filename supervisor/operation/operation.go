// Package operation runs the work of workers that is not a turn. Each operation is stored before it
// begins. The user's worker does the operation, or a one-shot worker does it. An operation survives
// the end of its worker and of this process: it runs again under the same id. After three workers
// have died in an operation, the operation is parked. A recording is transcribed piece by piece,
// and continues with the first piece that is not committed.
//
// Each user's worker runs at most two operations at once for which the user waits (now), and one
// long operation (background). The machine runs as many background operations as it has slots for
// speech, and the shortest recording goes first. A longer recording gives up its slot between two
// pieces if a shorter recording waits.
package operation

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
	"mews/supervisor/internal/slots"
	"mews/supervisor/internal/work"
	"mews/supervisor/pool"
	"mews/supervisor/sqlite"
)

const (
	oneShotAtOnce = 2
	nowAtOnce     = 2               // operations for a waiting user that one worker runs at once
	defaultSpeech = 1               // default number of recordings that are transcribed at once
	sweepEvery    = 5 * time.Minute // time between two deletions of old blobs
)

// Host answers the calls of a worker, also during an operation.
type Host interface {
	pool.Host
	// BeginOperation opens an operation.
	BeginOperation(a Attempt)
	// EndOperation closes an operation and returns its committed blobs. After that no call of the
	// operation runs in the supervisor.
	EndOperation(id int64) []protocol.BlobRef
}

// Options are the dependencies of Operations.
type Options[H Host] struct {
	Store sqlite.Operations
	Pool  *pool.Pool[H]
	// returns the spec of a user's worker, without its Key
	Spec func(user string, p pool.WorkerProfile) (pool.WorkerSpec, error)
	// holds a folder for the blobs of each operation
	Folder string
	// stores an offence of a worker in the audit log; never blocks
	Audit func(user, action, detail string)
	// maximum of recordings that are transcribed at once; 0 means 1
	Speech int
	// Serves reports whether a user is served; files of a message wait until then. nil means that
	// all users are served.
	Serves func(user string) bool
	Now    func() time.Time
	Log    hclog.Logger
}

// Operations runs operations. Its methods are safe for several goroutines.
type Operations[H Host] struct {
	o        Options[H]
	queues   map[queueName]*slots.Slots
	woken    chan struct{} // holds a token if new operations may be stored
	userWork work.UserWork

	homesWoken chan struct{} // holds a token if a home may need indexing

	mu          sync.Mutex // guards the fields below
	begun       map[int64]context.CancelCauseFunc
	doneChans   map[int64]chan struct{} // channels by operation; each is closed when its operation stops running
	secondsDone map[int64]int           // number of transcribed seconds, by recording
	homes       homes
}

// New makes Operations; Run runs them.
func New[H Host](o Options[H]) *Operations[H] {
	queues := map[queueName]*slots.Slots{
		queueOneShot: slots.New(oneShotAtOnce), queueNow: slots.NewWithUserLimit(0, nowAtOnce),
		queueCheck:      slots.New(0),
		queueBackground: slots.NewWithUserLimit(cmp.Or(o.Speech, defaultSpeech), 1),
	}
	return &Operations[H]{o: o, queues: queues, woken: make(chan struct{}, 1), begun: map[int64]context.CancelCauseFunc{},
		doneChans: map[int64]chan struct{}{}, secondsDone: map[int64]int{}, homesWoken: make(chan struct{}, 1),
		homes: homes{changed: map[string]bool{}, running: map[string]bool{}}}
}

// request asks for a slot for an operation. The caller must release the slot.
func (o *Operations[H]) request(name queueName, op supervisor.Operation, seconds int) *slots.Slot {
	return o.queues[name].RequestSlot(op.User, int64(seconds), op.ID)
}

// Start stores an operation and returns. The operation runs as soon as it can.
func (o *Operations[H]) Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error) {
	op, err := o.o.Store.Put(ctx, op)
	if err == nil {
		o.Wake()
	}
	return op, err
}

// Wake makes Run look for operations again, for example when a user is served again. It never
// blocks.
func (o *Operations[H]) Wake() { signals.SendToken(o.woken) }

// Wait waits for the end of an operation, and returns it. An error is ctx's cause, or comes from
// the store.
func (o *Operations[H]) Wait(ctx context.Context, id int64) (supervisor.Operation, error) {
	for {
		done := o.whenDone(id)
		op, ok, err := o.o.Store.Find(ctx, id)
		switch {
		case err != nil:
			return op, err
		case !ok:
			return op, &supervisor.Error{Code: supervisor.CodeNotFound, Message: textNotThere}
		case ended(op):
			o.finish(id)
			return op, nil
		}
		select {
		case <-done:
		case <-ctx.Done():
			return op, context.Cause(ctx)
		}
	}
}

// Cancel ends an operation in any state, as failed for the reason why. If the operation has ended
// or does not exist, Cancel does nothing.
func (o *Operations[H]) Cancel(ctx context.Context, id int64, why string) error {
	err := o.o.Store.ChangeState(ctx, id, supervisor.OperationFailed, why)
	if err != nil && !retry.IsRefused(err) {
		return err
	}
	o.mu.Lock()
	cancel := o.begun[id]
	o.mu.Unlock()
	if cancel != nil {
		cancel(errCancelled)
	} else {
		o.finish(id)
	}
	return nil
}

// EndUserOperations ends all operations of a user who is no longer served, as failed. It waits
// until none of the operations runs.
func (o *Operations[H]) EndUserOperations(ctx context.Context, user string) error {
	list, err := o.o.Store.ListUnfinished(ctx)
	for _, op := range list {
		if op.User == user && err == nil {
			err = o.Cancel(ctx, op.ID, textUserGone)
		}
	}
	if err == nil {
		err = o.userWork.EndWork(ctx, user)
	}
	if err != nil {
		return fmt.Errorf("end the operations of %s: %w", user, err)
	}
	return nil
}

// serves says whether the operation's user is served, so that the operation may begin.
func (o *Operations[H]) serves(op supervisor.Operation) bool {
	return op.Inbound == 0 || o.o.Serves == nil || o.o.Serves(op.User)
}

// TranscribedSeconds returns how many seconds of a recording are transcribed.
func (o *Operations[H]) TranscribedSeconds(id int64) (seconds int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.secondsDone[id]
}

// ended says whether an operation is in a final state.
func ended(op supervisor.Operation) bool {
	return op.State != supervisor.OperationWaiting && op.State != supervisor.OperationRunning
}

// Run runs the operations of an earlier process and new operations until ctx ends. It returns when
// no operation runs any more. Unfinished operations continue after the next start.
func (o *Operations[H]) Run(ctx context.Context) error {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	var running sync.WaitGroup
	defer running.Wait()
	o.Wake()
	o.sweep(ctx)
	running.Go(func() { o.indexHomes(ctx) })
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-sweep.C:
			o.sweep(ctx)
			continue
		case <-o.woken:
		}
		list, _ := retry.StoreUntilDone(ctx, o.o.Log, "find unfinished operations", func() ([]supervisor.Operation,
			error) {
			return o.o.Store.ListUnfinished(ctx)
		})
		for _, op := range list {
			own, done, ok := o.userWork.BeginWork(ctx, op.User, func() bool { return o.serves(op) })
			if !ok {
				continue
			}
			bounded, cancel := context.WithCancelCause(own)
			if !o.begin(op, cancel) {
				done()
				continue
			}
			t := o.newExecution(op)
			running.Go(func() {
				defer done()
				defer o.finish(op.ID)
				defer cancel(nil)
				if t == nil {
					o.setState(bounded, op.ID, supervisor.OperationFailed, textUnknown)
					return
				}
				t.run(bounded)
			})
		}
	}
}

// begin marks an operation as running; cancel must end it. begin returns false if the operation
// runs already.
func (o *Operations[H]) begin(op supervisor.Operation, cancel context.CancelCauseFunc) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, begun := o.begun[op.ID]
	if !begun {
		o.begun[op.ID] = cancel
	}
	return !begun
}

// finish marks an operation as not running, and wakes the callers that wait for its end.
func (o *Operations[H]) finish(id int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.begun, id)
	delete(o.secondsDone, id)
	if done := o.doneChans[id]; done != nil {
		close(done)
		delete(o.doneChans, id)
	}
}

// whenDone returns a channel that is closed when an operation stops running.
func (o *Operations[H]) whenDone(id int64) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.doneChans[id] == nil {
		o.doneChans[id] = make(chan struct{})
	}
	return o.doneChans[id]
}
