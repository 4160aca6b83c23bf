package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
)

// managedWorker is one person's worker, over all its processes. Its goroutine, run, owns every field but those that
// say otherwise; others have it call their functions with do. None of these functions waits.
type managedWorker struct {
	user    string
	options *Options
	log     hclog.Logger
	events  chan func()
	closing chan struct{}          // closed by the pool when it ends
	done    chan struct{}          // closed by run when it takes no more events
	status  atomic.Pointer[Status] // written by run, read by anybody

	state   State
	since   time.Time
	timer   *time.Timer
	due     func() // what the timer calls; nil: nothing
	backoff restartBackoff
	turns   int
	deaths  int
	broken  *BrokenError // in StateBroken

	current   *process // from starting to stopping; nil otherwise
	waiting   []*waiter
	ending    bool // closing was seen
	processes sync.WaitGroup
}

// waiter is somebody who wants the worker. Exactly one grant is sent to each.
type waiter struct{ reply chan acquired }

type acquired struct {
	worker *Worker
	err    error
}

func newManagedWorker(user string, o *Options) *managedWorker {
	m := &managedWorker{
		user: user, options: o, log: o.Log.With("user", user),
		events: make(chan func()), closing: make(chan struct{}), done: make(chan struct{}),
		state: StateAbsent, since: o.Now(), timer: time.NewTimer(time.Hour),
	}
	m.timer.Stop()
	m.publish()
	return m
}

// run serves events until the pool ends and the worker is gone.
func (m *managedWorker) run() {
	defer m.processes.Wait()
	defer close(m.done)
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
	}
}

// do has run call f. It says false when run has ended, and f was not called.
func (m *managedWorker) do(f func()) bool {
	select {
	case m.events <- f:
		return true
	case <-m.done:
		return false
	}
}

func (m *managedWorker) publish() {
	status := &Status{User: m.user, State: m.state, Since: m.since, Turns: m.turns, Deaths: m.deaths}
	if m.current != nil {
		status.PID = m.current.pid()
	}
	m.status.Store(status)
}

// acquire is Pool.Acquire, on the caller's goroutine.
func (m *managedWorker) acquire(ctx context.Context) (*Worker, error) {
	a := &waiter{reply: make(chan acquired, 1)}
	if !m.do(func() { m.request(a) }) {
		return nil, ErrClosed
	}
	select {
	case g := <-a.reply:
		return g.worker, g.err
	case <-ctx.Done():
	}
	m.do(func() { m.cancelRequest(a) }) // where run has ended, it answered everybody before
	g := <-a.reply
	if g.worker != nil {
		g.worker.Release()
	}
	return nil, fmt.Errorf("wait for the worker of %s: %w", m.user, context.Cause(ctx))
}

// request is the event that somebody wants the worker.
func (m *managedWorker) request(a *waiter) {
	if m.current != nil && m.current.isEnding() {
		m.stopping(m.current) // it ended, and has not yet said so
	}
	switch {
	case m.ending:
		a.reply <- acquired{err: ErrClosed}
	case m.state == StateBroken:
		a.reply <- acquired{err: m.broken}
	case m.state == StateIdle, m.state == StateBusy:
		m.lend(a)
	default:
		m.waiting = append(m.waiting, a)
	}
	if m.state == StateAbsent {
		m.start()
	}
}

// cancelRequest is the event that somebody waits no longer.
func (m *managedWorker) cancelRequest(a *waiter) {
	for i, waiting := range m.waiting {
		if waiting == a {
			m.waiting = append(m.waiting[:i:i], m.waiting[i+1:]...)
			a.reply <- acquired{}
			return
		}
	}
}

// lend gives the worker to a; it is idle or busy.
func (m *managedWorker) lend(a *waiter) {
	if m.state == StateIdle {
		m.transition(StateBusy)
	}
	m.current.leases++
	a.reply <- acquired{worker: &Worker{managed: m, process: m.current}}
}

// failWaiters answers everybody who waits.
func (m *managedWorker) failWaiters(err error) {
	for _, a := range m.waiting {
		a.reply <- acquired{err: err}
	}
	m.waiting = nil
}

// start asks for a process, if somebody waits; the state is absent.
func (m *managedWorker) start() {
	if len(m.waiting) == 0 || m.ending {
		return
	}
	hello, place, err := m.options.Hello(m.user)
	if err != nil {
		m.failWaiters(fmt.Errorf("start worker for %s: %w", m.user, err))
		return
	}
	hello.Version = protocol.Version
	m.transition(StateStarting)
	p := newProcess(m.user, m.options)
	m.current = p
	m.processes.Go(func() {
		p.run(hello, place, hooks{
			ready:    func() { m.do(func() { m.ready(p) }) },
			stopping: func() { m.do(func() { m.stopping(p) }) },
			ended:    func() { m.do(func() { m.ended(p) }) },
		})
	})
}

// ready is the event that p has shaken hands.
func (m *managedWorker) ready(p *process) {
	if m.state != StateStarting { // it was told to end in between
		return
	}
	m.transition(StateIdle)
	for _, a := range m.waiting {
		m.lend(a)
	}
	m.waiting = nil
	m.armIdle()
}

// armIdle lets the worker go in a while; nothing is done unless it is idle.
func (m *managedWorker) armIdle() {
	if m.state == StateIdle {
		m.arm(m.options.Timings.Idle, func() {
			m.current.stop(errIdle)
			m.stopping(m.current)
		})
	}
}

// release is the event that a lease of p ended; turns of it were answered.
func (m *managedWorker) release(p *process, turns int) {
	p.leases--
	m.turns += turns
	if turns > 0 && !p.isEnding() {
		m.backoff.recovered()
	}
	if p == m.current && p.leases == 0 && m.state == StateBusy {
		m.transition(StateIdle)
		m.armIdle()
	}
}

// stopping is the event that p is on its way down.
func (m *managedWorker) stopping(p *process) {
	if p == m.current && m.state != StateStopping {
		m.transition(StateStopping)
	}
}

// ended is the event that nothing of p is left.
func (m *managedWorker) ended(p *process) {
	m.stopping(p)
	m.current = nil
	if !isDeath(p.err) || m.ending {
		m.log.Debug("worker ended", "worker", p.id(), "reason", p.err)
		m.transition(StateAbsent)
		m.start()
		return
	}
	if errors.Is(p.err, errSpawnerLost) { // through no fault of its own
		m.log.Warn("worker lost", "worker", p.id(), "error", p.err)
		m.transition(StateBackoff)
		m.arm(m.options.Timings.BackoffMin, m.endBackoff)
		return
	}
	if refused := new(RefusedError); errors.As(p.err, &refused) { // no death: whoever waits is told, and may ask again
		m.log.Error("worker refused", "worker", p.id(), "error", p.err)
		m.transition(StateAbsent)
		m.failWaiters(p.err)
		return
	}
	m.deaths++
	wait, broken := m.backoff.died(m.options.Now(), m.options.Timings)
	if broken.IsZero() {
		m.log.Warn("worker died", "worker", p.id(), "error", p.err, "again", wait)
		m.transition(StateBackoff)
		m.arm(wait, m.endBackoff)
		return
	}
	m.log.Error("worker died too often", "worker", p.id(), "error", p.err, "until", broken)
	m.broken = &BrokenError{User: m.user, Until: broken, Last: p.err}
	m.transition(StateBroken)
	m.failWaiters(m.broken)
	m.arm(broken.Sub(m.options.Now()), func() { m.transition(StateAbsent) })
}

// endBackoff ends the back-off. Somebody may be waiting.
func (m *managedWorker) endBackoff() {
	m.transition(StateAbsent)
	m.start()
}

// shutdown is the event that the pool ends.
func (m *managedWorker) shutdown() {
	m.ending = true
	m.failWaiters(ErrClosed)
	if m.current != nil {
		m.current.stop(errShutdown)
		m.stopping(m.current)
	}
}
