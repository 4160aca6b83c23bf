// Package pool keeps workers: it starts each through mews-spawner when it is first wanted, shakes
// hands with it, lends it out, pings it, evicts it when it is idle, and ends it when it misbehaves.
// One goroutine for each worker owns what the pool knows of it, so that nobody waits for anybody
// else's.
//
//	Pool           lends workers by the key of their Spec; Run ends them all
//	managedWorker  the worker of one key: who waits, when to start, evict, back off, give up (policy)
//	process        one worker process, from its start to its end (mechanism)
//	Spawner        keeps mews-spawner running: it is started again when it dies
package pool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/protocol/spawnwire"
)

// Host answers one worker process; it is made anew for each. What a worker sends may reach it
// before Handshaken does: the worker is hostile. When the worker ends, the contexts of its calls
// end, and they must return soon.
type Host interface {
	protocol.Handler
	// once, when the handshake is done and before anybody has the worker
	Handshaken(protocol.HelloResult)
}

// Options are what a Pool is made of. H answers a worker.
type Options[H Host] struct {
	Spawner *Spawner // the Pool runs it, and closes it when it ends
	// Host makes what answers a worker that has a Hello. end ends the worker for a violation, from
	// any goroutine and without waiting for it; the reason goes to the log and to Worker.Err.
	Host func(user string, end func(reason error)) H
	// SelfTest is given a worker of SelfTestSpec before anybody gets one. Where it fails, nobody
	// does, and Run returns its error. nil: there is none.
	SelfTest     func(ctx context.Context, worker *Worker[H]) error
	SelfTestSpec Spec
	// called when somebody's worker hits a limit, from any goroutine; may be nil
	OnLimit func(user string, hit spawnwire.LimitHit)
	// called when somebody's worker has started, likewise; may be nil
	OnStart func(user string, pid int)
	Log     hclog.Logger
	Timings Timings
	Now     func() time.Time
}

// Timings are how long things may take. A field's zero value is its default.
type Timings struct {
	Handshake  time.Duration // from the request for a process to its answer to hello; 10 s
	PingEvery  time.Duration // between two questions whether it still answers; 30 s
	PingAnswer time.Duration // for the answer; 10 s
	Idle       time.Duration // from the last release to eviction; 30 min
	Grace      time.Duration // from closing the socket to SIGTERM; 2 s
	Term       time.Duration // from SIGTERM to SIGKILL; 2 s
	// for SIGKILL to do its work, after which the spawner is ended; 10 s
	Kill       time.Duration
	Write      time.Duration // in which a worker must take what is written to it; 10 s
	BackoffMin time.Duration // before the start that follows a death, doubled with each; 200 ms
	BackoffMax time.Duration // the most that doubling leads to; 60 s
	// before the next try where the machine had no room for a worker; 1 s
	Shortage      time.Duration
	BreakerDeaths int // so many deaths...; 5
	// ...within this, and it is not started again until the first of them is as old; 5 min
	BreakerWindow time.Duration
}

func (t Timings) withDefaults() Timings {
	return Timings{
		Handshake:     cmp.Or(t.Handshake, 10*time.Second),
		PingEvery:     cmp.Or(t.PingEvery, 30*time.Second),
		PingAnswer:    cmp.Or(t.PingAnswer, 10*time.Second),
		Idle:          cmp.Or(t.Idle, 30*time.Minute),
		Grace:         cmp.Or(t.Grace, 2*time.Second),
		Term:          cmp.Or(t.Term, 2*time.Second),
		Kill:          cmp.Or(t.Kill, 10*time.Second),
		Write:         cmp.Or(t.Write, 10*time.Second),
		BackoffMin:    cmp.Or(t.BackoffMin, 200*time.Millisecond),
		BackoffMax:    cmp.Or(t.BackoffMax, 60*time.Second),
		Shortage:      cmp.Or(t.Shortage, time.Second),
		BreakerDeaths: cmp.Or(t.BreakerDeaths, 5),
		BreakerWindow: cmp.Or(t.BreakerWindow, 5*time.Minute),
	}
}

// ErrClosed is returned by Acquire when the pool has ended or is ending.
var ErrClosed = errors.New("the worker pool is closed")

// errKeyEnded is returned by managedWorker.acquire when its goroutine has ended.
var errKeyEnded = errors.New("the worker's goroutine has ended")

// Pool lends workers. Its methods may be called from any goroutine.
type Pool[H Host] struct {
	options Options[H]
	started chan struct{} // closed when the self-test has passed

	mu      sync.Mutex // guards what follows
	workers map[string]*managedWorker[H]
	group   *sync.WaitGroup // the workers' goroutines; nil when no more may begin
}

// New makes a pool. It does nothing before Run.
func New[H Host](o Options[H]) *Pool[H] {
	o.Timings = o.Timings.withDefaults()
	return &Pool[H]{options: o, started: make(chan struct{}), workers: map[string]*managedWorker[H]{}}
}

// Run keeps the workers until ctx ends; it then ends them all at once, and the spawner last, and
// returns when nothing is left. Once only. An error says that something could not be ended in good
// order, or that the self-test failed.
func (p *Pool[H]) Run(ctx context.Context) error {
	// the spawner outlives the workers
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	gone := make(chan struct{})
	var spawnerErr error
	go func() { defer close(gone); spawnerErr = p.options.Spawner.run(serving) }()
	var workers sync.WaitGroup
	p.setGroup(&workers)
	err := p.selfTest(ctx)
	if err == nil {
		close(p.started)
		select {
		case <-ctx.Done():
		case <-gone: // the one that has started this process: nothing more can be done
		}
	}
	p.setGroup(nil)
	workers.Wait()
	end()
	<-gone
	return errors.Join(err, spawnerErr)
}

// setGroup lets workers begin, or with nil tells each to end and lets none begin.
func (p *Pool[H]) setGroup(group *sync.WaitGroup) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.group = group
	for _, m := range p.workers {
		close(m.closing)
	}
}

// selfTest has Options.SelfTest look at a worker before anybody gets one.
func (p *Pool[H]) selfTest(ctx context.Context) error {
	if p.options.SelfTest == nil {
		return nil
	}
	bounded, cancel := context.WithTimeoutCause(ctx, p.options.Timings.Handshake, errSelfTestTime)
	defer cancel()
	w, err := p.acquire(bounded, p.options.SelfTestSpec)
	if err == nil {
		err = w.End(p.options.SelfTest(bounded, w))
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("try the walls: %w", err)
	}
	return nil
}

// Acquire lends the worker of a Spec's key, which is started if it does not run. It waits until ctx
// ends, also through the back-off after a death; while the breaker is open it returns a
// *BrokenError at once. The worker may be lent to others at the same time. The caller must Release
// it.
func (p *Pool[H]) Acquire(ctx context.Context, spec Spec) (*Worker[H], error) {
	select {
	case <-p.started:
		return p.acquire(ctx, spec)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// acquire is Acquire, also before the self-test has passed.
func (p *Pool[H]) acquire(ctx context.Context, spec Spec) (*Worker[H], error) {
	for {
		m, err := p.worker(spec)
		if err != nil {
			return nil, err
		}
		// else a one-shot worker has just ended: the next is another
		if w, err := m.acquire(ctx, spec); err != errKeyEnded {
			return w, err
		}
	}
}

// worker is the key's managedWorker. It begins with the first request, and ends with Run, or when a
// one-shot worker has ended.
func (p *Pool[H]) worker(spec Spec) (*managedWorker[H], error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.group == nil {
		return nil, ErrClosed
	}
	m := p.workers[spec.Key]
	if m == nil {
		m = newManagedWorker(spec, &p.options)
		p.workers[spec.Key] = m
		p.group.Go(func() { m.run(func() { p.removeWorker(spec.Key) }) })
	}
	return m, nil
}

func (p *Pool[H]) removeWorker(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.workers, key)
}

// Evict ends the worker of a key, whatever it does, and returns when nothing of it is left. It is
// no death: the worker has done nothing wrong. Calls of it fail, and whoever waits for one gets
// another. Where there is none, nothing is done. An error is ctx's cause: the worker ends all the
// same.
func (p *Pool[H]) Evict(ctx context.Context, key string) error {
	p.mu.Lock()
	m := p.workers[key]
	p.mu.Unlock()
	evicted := make(chan *process[H], 1)
	if m == nil || !m.do(func() { evicted <- m.evict() }) {
		return nil
	}
	leaving := <-evicted
	if leaving == nil {
		return nil
	}
	select {
	case <-leaving.died:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the end of the worker of %s: %w", key, context.Cause(ctx))
	}
}

// Find gives the worker of a key where there is one that has shaken hands. It is no lease: it
// neither starts a worker nor has one stay.
func (p *Pool[H]) Find(key string) (w *Worker[H], there bool) {
	p.mu.Lock()
	m := p.workers[key]
	p.mu.Unlock()
	found := make(chan *process[H], 1)
	if m == nil || !m.do(func() { found <- m.lendable() }) {
		return nil, false
	}
	process := <-found
	w = &Worker[H]{process: process}
	w.released.Store(true)
	return w, process != nil
}

// Ask calls the worker of a key, as Find gives it, and says whether there is one.
func (p *Pool[H]) Ask(ctx context.Context, key, method string, params, result any) (there bool, err error) {
	w, there := p.Find(key)
	if !there {
		return false, nil
	}
	return true, w.Call(ctx, method, params, result)
}

// Status is how the worker of one key stood at some moment.
type Status struct {
	Key    string
	State  State
	PID    int       // of the worker; 0 where there is none
	Since  time.Time // of State
	Turns  int       // answered, since the pool began
	Deaths int       // since the pool began

	// why the worker could not be started the last time, for people; "" where it could
	Refused string
}

// List gives every worker's Status, sorted by key. A key that was never asked for has none.
func (p *Pool[H]) List() []Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Status, 0, len(p.workers))
	for _, m := range p.workers {
		list = append(list, *m.status.Load())
	}
	slices.SortFunc(list, func(a, b Status) int { return strings.Compare(a.Key, b.Key) })
	return list
}
