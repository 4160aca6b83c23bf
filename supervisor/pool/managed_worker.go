package pool

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol/spawnwire"
)

// managedWorker is the worker of one key, with all its processes one after the other. Its
// goroutine, run, owns each field unless the field's comment names another owner. Other goroutines
// change fields only by functions that they pass to the method do. These functions never wait.
type managedWorker[H Host] struct {
	options *Options[H]
	oneShot bool // never changes, so all goroutines may read it
	log     hclog.Logger
	events  chan func()
	closing chan struct{}                // the pool closes this channel when the pool ends
	done    chan struct{}                // closed when run has stopped handling events
	status  atomic.Pointer[WorkerStatus] // written by run; all goroutines may read it

	spec      WorkerSpec // the spec of the newest request
	state     WorkerState
	since     time.Time
	timer     *time.Timer
	due       func() // the function that the timer will call; nil means none
	backoff   restartBackoff
	turns     int
	deaths    int
	refused   string          // why the newest process could not start; "" means that it started
	shortages int             // number of starts in a row that failed because of a shortage
	broken    *CrashLoopError // the error for requests while the breaker is open
	current   *process[H]     // the process while it is starting, running or stopping; otherwise nil
	waiting   []*waiter[H]
	ending    bool // whether run has noticed that the channel closing is closed
	processes sync.WaitGroup
}

// waiter is a request for the worker. It gets exactly one reply.
type waiter[H Host] struct {
	unused bool // whether the request waits until nobody uses the worker
	reply  chan acquired[H]
}

type acquired[H Host] struct {
	worker *Worker[H]
	err    error
}

func newManagedWorker[H Host](spec WorkerSpec, o *Options[H]) *managedWorker[H] {
	m := &managedWorker[H]{
		options: o, spec: spec, oneShot: profiles[spec.Profile].oneShot, log: o.Log.With("user", spec.Key),
		events: make(chan func()), closing: make(chan struct{}), done: make(chan struct{}),
		state: StateAbsent, since: o.Now(), timer: time.NewTimer(time.Hour),
	}
	m.timer.Stop()
	m.publish()
	return m
}

// run handles events until the pool has ended and the worker is gone. For a one-shot worker, run
// also ends when the worker is gone and no request waits. At its end run calls forget.
func (m *managedWorker[H]) run(forget func()) {
	defer m.processes.Wait()
	defer close(m.done)
	defer forget()
	closing := m.closing
	for !m.ending || m.current != nil {
		select {
		case f := <-m.events:
			f()
		case <-m.timer.C:
			if f := m.due; f != nil {
				m.due = nil
				f()
			}
		case <-closing:
			closing = nil
			m.shutdown()
		}
		m.publish()
		if m.oneShot && m.state == StateAbsent && len(m.waiting) == 0 {
			return
		}
	}
}

// do passes f to the goroutine of run, which calls f. If run has ended, do returns false, and f is
// not called.
func (m *managedWorker[H]) do(f func()) bool {
	select {
	case m.events <- f:
		return true
	case <-m.done:
		return false
	}
}

func (m *managedWorker[H]) publish() {
	status := &WorkerStatus{Key: m.spec.Key, State: m.state, Since: m.since, Turns: m.turns, Deaths: m.deaths,
		Refused: m.refused}
	if m.current != nil {
		status.PID = m.current.pid()
	}
	m.status.Store(status)
}

// acquire does the work of Pool.Acquire on the caller's goroutine. It returns errKeyEnded if run
// has ended.
func (m *managedWorker[H]) acquire(ctx context.Context, spec WorkerSpec) (*Worker[H], error) {
	w := &waiter[H]{unused: spec.Unused, reply: make(chan acquired[H], 1)}
	if !m.do(func() { m.request(w, spec) }) {
		return nil, errKeyEnded
	}
	select {
	case a := <-w.reply:
		return a.worker, a.err
	case <-ctx.Done():
	}
	m.do(func() { m.cancelRequest(w) }) // this may fail: if run has ended, it has answered all waiters
	if a := <-w.reply; a.worker != nil {
		a.worker.Release()
	}
	return nil, fmt.Errorf("wait for the worker of %s: %w", spec.Key, context.Cause(ctx))
}

// request handles a new request for the worker.
func (m *managedWorker[H]) request(w *waiter[H], spec WorkerSpec) {
	m.spec = spec
	if m.current != nil && m.current.isEnding() {
		m.stopping(m.current) // the process is ending, but has not reported that yet
	}
	m.endOutdated(spec)
	switch {
	case m.ending:
		w.reply <- acquired[H]{err: ErrClosed}
	case m.state == StateBroken:
		w.reply <- acquired[H]{err: m.broken}
	default:
		m.waiting = append(m.waiting, w)
		m.lendWaiting()
	}
	if m.state == StateAbsent {
		m.start()
	}
}

// endOutdated ends an idle worker that was told other settings of its user than spec has, such as
// another time zone. The next request gets a new worker.
func (m *managedWorker[H]) endOutdated(spec WorkerSpec) {
	if m.state == StateIdle && spec.Profile == m.current.spec.Profile &&
		!reflect.DeepEqual(spec.Hello, m.current.spec.Hello) {
		m.end(errOutdated)
	}
}

// cancelRequest removes a request whose caller has stopped waiting.
func (m *managedWorker[H]) cancelRequest(w *waiter[H]) {
	if i := slices.Index(m.waiting, w); i >= 0 {
		m.waiting = slices.Delete(m.waiting, i, i+1)
		w.reply <- acquired[H]{}
	}
}

// lendWaiting lends the worker to all waiting requests that may have it now.
func (m *managedWorker[H]) lendWaiting() {
	p := m.lendable()
	if p == nil {
		return
	}
	m.waiting = slices.DeleteFunc(m.waiting, func(w *waiter[H]) bool {
		may := !w.unused || len(p.leases) == 0
		if may {
			m.lend(w)
		}
		return may
	})
}

// lend lends the worker to w. The worker must be idle or busy.
func (m *managedWorker[H]) lend(w *waiter[H]) {
	if m.state == StateIdle {
		m.transition(StateBusy)
	}
	p, lease := m.current, &Worker[H]{managed: m, process: m.current}
	lease.shared.Store(len(p.leases) > 0)
	for _, other := range p.leases {
		other.shared.Store(true)
	}
	p.leases = append(p.leases, lease)
	m.publish() // publish before the reply, so that the listed status already says busy
	w.reply <- acquired[H]{worker: lease}
}

// lendable returns the process if it can be lent, otherwise nil.
func (m *managedWorker[H]) lendable() *process[H] {
	if m.state != StateIdle && m.state != StateBusy {
		return nil
	}
	return m.current
}

// failWaiters answers all waiting requests with an error.
func (m *managedWorker[H]) failWaiters(err error) {
	m.publish() // publish before the replies, so that the listed status is current
	for _, w := range m.waiting {
		w.reply <- acquired[H]{err: err}
	}
	m.waiting = nil
}

// start starts a process if requests wait. The state must be absent.
func (m *managedWorker[H]) start() {
	if len(m.waiting) == 0 || m.ending {
		return
	}
	request, err := m.spec.request()
	if err != nil {
		m.failWaiters(fmt.Errorf("start worker for %s: %w", m.spec.Key, err))
		return
	}
	m.transition(StateStarting)
	p := newProcess(m)
	m.current = p
	m.processes.Go(func() { p.run(request) })
}

// ready handles the event that a process has shaken hands.
func (m *managedWorker[H]) ready(p *process[H]) {
	if m.state != StateStarting { // the process is already being ended
		return
	}
	m.shortages = 0
	m.transition(StateIdle)
	m.refused = ""
	m.lendWaiting()
	m.evictWhenIdle()
}

// evictWhenIdle evicts an idle worker. A one-shot worker is evicted now, any other worker after
// Timings.Idle.
func (m *managedWorker[H]) evictWhenIdle() {
	switch {
	case m.state != StateIdle:
	case m.oneShot:
		m.end(errOneShot)
	default:
		m.arm(m.options.Timings.Idle, func() { m.end(errIdle) })
	}
}

// end ends the current process and returns it; nil means no process.
func (m *managedWorker[H]) end(reason error) *process[H] {
	if m.current != nil {
		m.current.stop(reason)
		m.stopping(m.current)
	}
	return m.current
}

// evict ends the worker now, without counting a death.
func (m *managedWorker[H]) evict() *process[H] { return m.end(errEvicted) }

// release handles the event that a lease has ended.
func (m *managedWorker[H]) release(w *Worker[H]) {
	p, turns := w.process, int(w.turns.Load())
	p.leases = slices.DeleteFunc(p.leases, func(other *Worker[H]) bool { return other == w })
	m.turns += turns
	if turns > 0 && !p.isEnding() {
		m.backoff.recovered()
	}
	if p != m.current || len(p.leases) > 0 || m.state != StateBusy {
		return
	}
	m.transition(StateIdle)
	if p.isEnding() {
		m.stopping(p) // the process is ending, but has not reported that yet
	}
	m.lendWaiting()
	m.evictWhenIdle()
}

// stopping handles the event that a process begins to end.
func (m *managedWorker[H]) stopping(p *process[H]) {
	if p == m.current && m.state != StateStopping {
		m.transition(StateStopping)
	}
}

// ended handles the event that a process has ended completely.
func (m *managedWorker[H]) ended(p *process[H]) {
	m.stopping(p)
	m.current = nil
	log := m.log.With("worker", p.id(), "error", p.err)
	refused, end := new(StartRefusedError), new(WorkerEndError)
	switch {
	case !IsWorkerDeath(p.err) || m.ending:
		log.Debug("worker ended")
		m.transition(StateAbsent)
		m.start()
	case errors.Is(p.err, errSpawnerLost): // the spawner died, which is not the worker's fault
		log.Warn("worker lost")
		m.transition(StateBackoff)
		m.arm(m.options.Timings.BackoffMin, m.endBackoff)
	case errors.As(p.err, &end) && end.Shortage: // the machine has no room, which is not the user's fault
		m.short(log)
	case errors.As(p.err, &refused): // not a death: requests get the error, and may be made again
		log.Error("worker refused")
		m.transition(StateAbsent)
		m.refused = refused.Reason
		m.failWaiters(p.err)
	default:
		m.died(log, p.err)
	}
}

// short handles a shortage: the machine has no room for the worker. It delays the next start, and
// requests keep waiting. At the third shortage in a row the user gets a notice.
func (m *managedWorker[H]) short(log hclog.Logger) {
	m.shortages++
	wait := m.options.Timings.Shortage
	log.Warn("the machine has no room for a worker", "again", wait)
	if user := m.spec.user(); m.options.OnLimit != nil && user != "" && m.shortages == tellShortages {
		m.options.OnLimit(user, spawnwire.LimitHitMessage{Kind: LimitMachineShortage})
	}
	m.refused = textNoRoom
	m.transition(StateBackoff)
	m.arm(wait, m.endBackoff)
}

// tellShortages is the number of shortages in a row after which a user gets a notice.
const tellShortages = 3

// died handles a death: it delays the next start, or opens the breaker.
func (m *managedWorker[H]) died(log hclog.Logger, err error) {
	m.deaths++
	wait, broken := m.backoff.died(m.options.Now(), m.options.Timings)
	if broken.IsZero() {
		log.Warn("worker died", "again", wait)
		m.transition(StateBackoff)
		m.arm(wait, m.endBackoff)
		return
	}
	log.Error("worker died too often", "until", broken)
	m.broken = &CrashLoopError{User: m.spec.Key, Until: broken, Last: err}
	m.transition(StateBroken)
	m.failWaiters(m.broken)
	m.arm(broken.Sub(m.options.Now()), func() { m.transition(StateAbsent) })
}

// endBackoff ends the back-off, and starts a process if requests wait.
func (m *managedWorker[H]) endBackoff() {
	m.transition(StateAbsent)
	m.start()
}

// shutdown ends the worker because the pool ends.
func (m *managedWorker[H]) shutdown() {
	m.ending = true
	m.failWaiters(ErrClosed)
	m.end(errShutdown)
}
