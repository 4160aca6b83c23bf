// Package operation runs the work of workers that is no turn. Each operation is a row before it
// begins, and its person's worker does it, or a one-shot worker. It survives the end of its worker
// and of this process: it is done again under the same id, and parked after three workers have
// ended in it. A recording is transcribed piece by piece, and goes on with the first piece that is
// not committed.
//
// In each person's worker two operations run at once that somebody waits for (now), and one that
// takes long (background). Of the latter so many run on the machine as there are slots for speech,
// and the shortest recording goes first: whoever has a slot gives it back between two of its
// pieces where a shorter one waits.
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
	nowAtOnce     = 2               // of one person
	defaultSpeech = 1               // recordings that are transcribed at once
	sweepEvery    = 5 * time.Minute // for what operations committed
)

// Host answers a worker, also while it does an operation.
type Host interface {
	pool.Host
	// BeginOperation opens an operation.
	BeginOperation(a Attempt)
	// EndOperation closes it. Nothing of it runs in the supervisor any more. It gives the blobs
	// that were committed.
	EndOperation(id int64) []protocol.BlobRef
}

// Options are what Operations need.
type Options[H Host] struct {
	Store sqlite.Operations
	Pool  *pool.Pool[H]
	// a person's worker; its Key is not read
	Spec func(user string, p pool.Profile) (pool.Spec, error)
	// for what operations commit: below it each has a folder of its own
	Folder string
	// keeps what a hostile worker did; never blocks
	Audit func(user, action, detail string)
	// recordings that are transcribed at once; 0 is 1
	Speech int
	// what came with an inbound waits until its person is served; nil: all are
	Serves func(user string) bool
	Now    func() time.Time
	Log    hclog.Logger
}

// Operations runs operations. Its methods may be called from any goroutine.
type Operations[H Host] struct {
	o      Options[H]
	queues map[queueName]*slots.Slots
	woken  chan struct{} // holds a token when an operation may have been put
	tasks  work.WorkByUser

	homesWoken chan struct{} // holds a token when a home may have changed

	mu    sync.Mutex // guards what follows
	begun map[int64]context.CancelCauseFunc
	left  map[int64]chan struct{} // closed when the operation runs no more; for whoever waits
	come  map[int64]int           // seconds of a recording that have been gone through
	homes homes
}

// New makes Operations; Run works them.
func New[H Host](o Options[H]) *Operations[H] {
	queues := map[queueName]*slots.Slots{
		queueOneShot: slots.New(oneShotAtOnce), queueNow: slots.NewEach(0, nowAtOnce), queueLook: slots.New(0),
		queueBackground: slots.NewEach(cmp.Or(o.Speech, defaultSpeech), 1),
	}
	return &Operations[H]{o: o, queues: queues, woken: make(chan struct{}, 1), begun: map[int64]context.CancelCauseFunc{},
		left: map[int64]chan struct{}{}, come: map[int64]int{}, homesWoken: make(chan struct{}, 1),
		homes: homes{changed: map[string]bool{}, running: map[string]bool{}}}
}

// request asks for a slot for an operation. Release has to follow.
func (o *Operations[H]) request(name queueName, op supervisor.Operation, seconds int) *slots.Slot {
	return o.queues[name].Request(op.User, int64(seconds), op.ID)
}

// Start keeps an operation, which is then done as soon as it can be. It does not wait for that.
func (o *Operations[H]) Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error) {
	op, err := o.o.Store.Put(ctx, op)
	if err == nil {
		o.Wake()
	}
	return op, err
}

// Wake is to be called when somebody may be served who was not before. It never blocks.
func (o *Operations[H]) Wake() { signals.Send(o.woken) }

// Wait waits until an operation has ended, and gives it as it is then. An error is ctx's cause, or
// the store's.
func (o *Operations[H]) Wait(ctx context.Context, id int64) (supervisor.Operation, error) {
	for {
		left := o.leaving(id)
		op, ok, err := o.o.Store.Find(ctx, id)
		switch {
		case err != nil:
			return op, err
		case !ok:
			return op, &supervisor.Error{Code: supervisor.CodeNotFound, Message: textNotThere}
		case ended(op):
			o.leave(id)
			return op, nil
		}
		select {
		case <-left:
		case <-ctx.Done():
			return op, context.Cause(ctx)
		}
	}
}

// Cancel ends an operation, whatever it does or waits for: it has failed then, for why. It is no
// error that it has ended, or is not there.
func (o *Operations[H]) Cancel(ctx context.Context, id int64, why string) error {
	err := o.o.Store.Move(ctx, id, supervisor.OperationFailed, why)
	if err != nil && !retry.Refused(err) {
		return err
	}
	o.mu.Lock()
	cancel := o.begun[id]
	o.mu.Unlock()
	if cancel != nil {
		cancel(errCancelled)
	} else {
		o.leave(id)
	}
	return nil
}

// End ends a person's operations, who is not served any more, and waits until nothing of them runs.
// They have failed then.
func (o *Operations[H]) End(ctx context.Context, user string) error {
	list, err := o.o.Store.ListUnfinished(ctx)
	for _, op := range list {
		if op.User == user && err == nil {
			err = o.Cancel(ctx, op.ID, textEnded)
		}
	}
	if err == nil {
		err = o.tasks.End(ctx, user)
	}
	if err != nil {
		return fmt.Errorf("end the operations of %s: %w", user, err)
	}
	return nil
}

// serves says whether an operation may begin.
func (o *Operations[H]) serves(op supervisor.Operation) bool {
	return op.Inbound == 0 || o.o.Serves == nil || o.o.Serves(op.User)
}

// Progress is how many seconds of a recording have been gone through.
func (o *Operations[H]) Progress(id int64) (seconds int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.come[id]
}

// ended says whether nothing more becomes of an operation.
func ended(op supervisor.Operation) bool {
	return op.State != supervisor.OperationWaiting && op.State != supervisor.OperationRunning
}

// Run does what an earlier life left and what is started, until ctx ends. It returns when nothing
// runs any more; what was not done by then is done after the next start.
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
		list, _ := retry.Persist(ctx, o.o.Log, "find unfinished operations", func() ([]supervisor.Operation, error) {
			return o.o.Store.ListUnfinished(ctx)
		})
		for _, op := range list {
			own, done, ok := o.tasks.Begin(ctx, op.User, func() bool { return o.serves(op) })
			if !ok {
				continue
			}
			bounded, cancel := context.WithCancelCause(own)
			if !o.begin(op, cancel) {
				done()
				continue
			}
			t := o.newTask(op)
			running.Go(func() {
				defer done()
				defer o.leave(op.ID)
				defer cancel(nil)
				if t == nil {
					o.move(bounded, op.ID, supervisor.OperationFailed, textUnknown)
					return
				}
				t.run(bounded)
			})
		}
	}
}

// begin says whether an operation is to be run: it does not run twice at the same time. cancel ends
// it.
func (o *Operations[H]) begin(op supervisor.Operation, cancel context.CancelCauseFunc) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, begun := o.begun[op.ID]
	if !begun {
		o.begun[op.ID] = cancel
	}
	return !begun
}

// leave says that an operation runs no more, and wakes whoever waits for it.
func (o *Operations[H]) leave(id int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.begun, id)
	delete(o.come, id)
	if left := o.left[id]; left != nil {
		close(left)
		delete(o.left, id)
	}
}

// leaving is closed when an operation runs no more.
func (o *Operations[H]) leaving(id int64) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.left[id] == nil {
		o.left[id] = make(chan struct{})
	}
	return o.left[id]
}
