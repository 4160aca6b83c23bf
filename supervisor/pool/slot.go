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

// slot is one person's. Its goroutine, run, owns every field but those that say otherwise; others have it call their
// functions by do. None of these functions waits.
type slot struct {
	user    string
	options *Options
	log     hclog.Logger
	events  chan func()
	closing chan struct{}          // closed by the pool when it ends
	done    chan struct{}          // closed by run when it takes no more events
	status  atomic.Pointer[Status] // written by run, read by anybody

	standing
	current *process // from starting to stopping; nil otherwise
	waiting []*applicant
	ending  bool // closing was seen
	lives   sync.WaitGroup
}

// standing is where a slot stands, and what its history is.
type standing struct {
	state  State
	since  time.Time
	timer  *time.Timer
	due    func() // what the timer calls; nil: nothing
	health health
	turns  int
	deaths int
	broken *BrokenError // in StateBroken
}

// applicant is somebody who wants the worker. Exactly one grant is sent to each.
type applicant struct{ reply chan grant }

type grant struct {
	worker *Worker
	err    error
}

func newSlot(user string, o *Options) *slot {
	s := &slot{
		user: user, options: o, log: o.Log.With("user", user),
		events: make(chan func()), closing: make(chan struct{}), done: make(chan struct{}),
		standing: standing{state: StateAbsent, since: o.Now(), timer: time.NewTimer(time.Hour)},
	}
	s.timer.Stop()
	s.publish()
	return s
}

// run serves events until the pool ends and the worker is gone.
func (s *slot) run() {
	defer s.lives.Wait()
	defer close(s.done)
	closing := s.closing
	for !s.ending || s.current != nil {
		select {
		case f := <-s.events:
			f()
		case <-s.timer.C:
			if f := s.due; f != nil {
				s.due = nil
				f()
			}
		case <-closing:
			closing = nil
			s.end()
		}
		s.publish()
	}
}

// do has run call f. It says false when run has ended, and f was not called.
func (s *slot) do(f func()) bool {
	select {
	case s.events <- f:
		return true
	case <-s.done:
		return false
	}
}

func (s *slot) publish() {
	status := &Status{User: s.user, State: s.state, Since: s.since, Turns: s.turns, Deaths: s.deaths}
	if s.current != nil {
		status.PID = s.current.pid()
	}
	s.status.Store(status)
}

// acquire is Pool.Acquire, on the caller's goroutine.
func (s *slot) acquire(ctx context.Context) (*Worker, error) {
	a := &applicant{reply: make(chan grant, 1)}
	if !s.do(func() { s.apply(a) }) {
		return nil, ErrClosed
	}
	select {
	case g := <-a.reply:
		return g.worker, g.err
	case <-ctx.Done():
	}
	s.do(func() { s.withdraw(a) }) // where run has ended, it answered everybody before
	g := <-a.reply
	if g.worker != nil {
		g.worker.Release()
	}
	return nil, fmt.Errorf("wait for the worker of %s: %w", s.user, context.Cause(ctx))
}

// apply is the event that somebody wants the worker.
func (s *slot) apply(a *applicant) {
	if s.current != nil && s.current.isEnding() {
		s.stopping(s.current) // it ended, and has not yet said so
	}
	switch {
	case s.ending:
		a.reply <- grant{err: ErrClosed}
	case s.state == StateBroken:
		a.reply <- grant{err: s.broken}
	case s.state == StateIdle, s.state == StateBusy:
		s.lend(a)
	default:
		s.waiting = append(s.waiting, a)
	}
	if s.state == StateAbsent {
		s.start()
	}
}

// withdraw is the event that somebody waits no longer.
func (s *slot) withdraw(a *applicant) {
	for i, waiting := range s.waiting {
		if waiting == a {
			s.waiting = append(s.waiting[:i:i], s.waiting[i+1:]...)
			a.reply <- grant{}
			return
		}
	}
}

// lend gives the worker to a; it is idle or busy.
func (s *slot) lend(a *applicant) {
	if s.state == StateIdle {
		s.transition(StateBusy)
	}
	s.current.leases++
	a.reply <- grant{worker: &Worker{slot: s, process: s.current}}
}

// refuse answers everybody who waits.
func (s *slot) refuse(err error) {
	for _, a := range s.waiting {
		a.reply <- grant{err: err}
	}
	s.waiting = nil
}

// start asks for a process, if somebody waits; the state is absent.
func (s *slot) start() {
	if len(s.waiting) == 0 || s.ending {
		return
	}
	hello, place, err := s.options.Hello(s.user)
	if err != nil {
		s.refuse(fmt.Errorf("start worker for %s: %w", s.user, err))
		return
	}
	hello.Version = protocol.Version
	s.transition(StateStarting)
	p := newProcess(s.user, s.options)
	s.current = p
	s.lives.Go(func() {
		p.run(hello, place, hooks{
			ready:    func() { s.do(func() { s.ready(p) }) },
			stopping: func() { s.do(func() { s.stopping(p) }) },
			ended:    func() { s.do(func() { s.ended(p) }) },
		})
	})
}

// ready is the event that p has shaken hands.
func (s *slot) ready(p *process) {
	if s.state != StateStarting { // it was told to end in between
		return
	}
	s.transition(StateIdle)
	for _, a := range s.waiting {
		s.lend(a)
	}
	s.waiting = nil
	s.rest()
}

// rest lets the worker go in a while; nothing is done unless it is idle.
func (s *slot) rest() {
	if s.state == StateIdle {
		s.arm(s.options.Timings.Idle, func() {
			s.current.stop(errIdle)
			s.stopping(s.current)
		})
	}
}

// release is the event that a lease of p ended; turns of it were answered.
func (s *slot) release(p *process, turns int) {
	p.leases--
	s.turns += turns
	if turns > 0 && !p.isEnding() {
		s.health.recovered()
	}
	if p == s.current && p.leases == 0 && s.state == StateBusy {
		s.transition(StateIdle)
		s.rest()
	}
}

// stopping is the event that p is on its way down.
func (s *slot) stopping(p *process) {
	if p == s.current && s.state != StateStopping {
		s.transition(StateStopping)
	}
}

// ended is the event that nothing of p is left.
func (s *slot) ended(p *process) {
	s.stopping(p)
	s.current = nil
	if !isDeath(p.err) || s.ending {
		s.log.Debug("worker ended", "worker", p.id(), "reason", p.err)
		s.transition(StateAbsent)
		s.start()
		return
	}
	if errors.Is(p.err, errLost) { // through no fault of its own
		s.log.Warn("worker lost", "worker", p.id(), "error", p.err)
		s.transition(StateBackoff)
		s.arm(s.options.Timings.BackoffMin, s.again)
		return
	}
	if refused := new(RefusedError); errors.As(p.err, &refused) { // no death: whoever waits is told, and may ask again
		s.log.Error("worker refused", "worker", p.id(), "error", p.err)
		s.transition(StateAbsent)
		s.refuse(p.err)
		return
	}
	s.deaths++
	wait, broken := s.health.died(s.options.Now(), s.options.Timings)
	if broken.IsZero() {
		s.log.Warn("worker died", "worker", p.id(), "error", p.err, "again", wait)
		s.transition(StateBackoff)
		s.arm(wait, s.again)
		return
	}
	s.log.Error("worker died too often", "worker", p.id(), "error", p.err, "until", broken)
	s.broken = &BrokenError{User: s.user, Until: broken, Last: p.err}
	s.transition(StateBroken)
	s.refuse(s.broken)
	s.arm(broken.Sub(s.options.Now()), func() { s.transition(StateAbsent) })
}

// again ends the back-off. Somebody may be waiting.
func (s *slot) again() {
	s.transition(StateAbsent)
	s.start()
}

// end is the event that the pool ends.
func (s *slot) end() {
	s.ending = true
	s.refuse(ErrClosed)
	if s.current != nil {
		s.current.stop(errShutdown)
		s.stopping(s.current)
	}
}
