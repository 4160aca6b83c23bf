// Package pool keeps workers. It starts each through mews-spawner at the first request, shakes
// hands with it, lends it, and pings it. It evicts an idle worker, and ends one that misbehaves.
// One goroutine for each worker owns its state, so that no worker waits for another.
//
// Pool lends workers by the key of their Spec; Run ends them all. managedWorker is the worker of
// one key. It holds the policy: who waits, when to start, evict, back off, give up. process is one
// worker process, from its start to its end: the mechanism. Spawner keeps mews-spawner running, and
// starts it again when it dies.
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

// Host answers the calls of one worker process. The worker is hostile: its calls may come before
// Handshaken. When the worker ends, the contexts of its calls end, and the calls must return soon.
type Host interface {
	protocol.Handler
	// Handshaken is called once, after the handshake and before anybody gets the worker.
	Handshaken(protocol.HelloResult)
}

// Options configures a Pool, whose workers' calls an H answers.
type Options[H Host] struct {
	Spawner *Spawner // run and closed by the Pool
	// Host makes the Host of a worker with a Hello. end ends the worker for a violation; it may be
	// called from any goroutine, and does not wait. Its reason goes to the log and to Worker.Err.
	Host func(user string, end func(reason error)) H
	// SelfTest gets a worker of SelfTestSpec before any other worker is lent. If it fails, no
	// worker is lent, and Run returns its error. nil means no test.
	SelfTest     func(ctx context.Context, worker *Worker[H]) error
	SelfTestSpec Spec
	// OnLimit is called when a user's worker hits a limit, from any goroutine. nil is allowed.
	OnLimit func(user string, hit spawnwire.LimitHit)
	// OnStart is called when a user's worker has started, from any goroutine. nil is allowed.
	OnStart func(user string, pid int)
	Log     hclog.Logger
	Timings Timings
	Now     func() time.Time
}

// Timings sets timeouts and intervals. A zero field means its default.
type Timings struct {
	Handshake  time.Duration // from the request for a process until it answers hello; 10 s
	PingEvery  time.Duration // between two pings; 30 s
	PingAnswer time.Duration // how long a worker may take to answer a ping; 10 s
	Idle       time.Duration // from the last release to eviction; 30 min
	Grace      time.Duration // from closing the socket to SIGTERM; 2 s
	Term       time.Duration // from SIGTERM to SIGKILL; 2 s
	// Kill is from SIGKILL until the spawner is killed, if the worker has not ended; 10 s.
	Kill       time.Duration
	Write      time.Duration // how long a worker may take to read a message; 10 s
	BackoffMin time.Duration // pause before the start after a death, doubled each time; 200 ms
	BackoffMax time.Duration // the longest pause after deaths; 60 s
	// Shortage is the pause before the next start if the machine had no room for a worker; 1 s.
	Shortage      time.Duration
	BreakerDeaths int // how many deaths open the breaker; 5
	// BreakerWindow is the time within which these deaths must come. The breaker closes when the
	// first of them is that old; 5 min.
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

	mu      sync.Mutex // guards the fields below
	workers map[string]*managedWorker[H]
	group   *sync.WaitGroup // the workers' goroutines; nil means that none may start
}

// New returns a pool; call Run to start it.
func New[H Host](o Options[H]) *Pool[H] {
	o.Timings = o.Timings.withDefaults()
	return &Pool[H]{options: o, started: make(chan struct{}), workers: map[string]*managedWorker[H]{}}
}

// Run keeps the workers until ctx ends. It then ends them all at once, the spawner last, and
// returns when no process is left. Call it only once. An error means that a process did not end
// properly, or that the self-test failed.
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
		case <-gone: // the spawner that started this process is gone, and with it all workers
		}
	}
	p.setGroup(nil)
	workers.Wait()
	end()
	<-gone
	return errors.Join(err, spawnerErr)
}

// setGroup allows workers to start; nil ends all workers and allows none.
func (p *Pool[H]) setGroup(group *sync.WaitGroup) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.group = group
	for _, m := range p.workers {
		close(m.closing)
	}
}

// selfTest runs Options.SelfTest on a worker before any other worker is lent.
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

// Acquire lends the worker of a Spec's key, and starts it if it does not run. It waits until ctx
// ends, also through the back-off after a death. While the breaker is open it returns a
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

// acquire is Acquire, but may be used before the self-test has passed.
func (p *Pool[H]) acquire(ctx context.Context, spec Spec) (*Worker[H], error) {
	for {
		m, err := p.worker(spec)
		if err != nil {
			return nil, err
		}
		// otherwise a one-shot worker has just ended: try again with a new one
		if w, err := m.acquire(ctx, spec); err != errKeyEnded {
			return w, err
		}
	}
}

// worker returns the key's managedWorker. It begins with the first request. It ends with Run, or
// after a one-shot worker's end.
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

// Evict ends the worker of a key, even a busy one, and returns when it is gone. It does not count
// as a death. The worker's calls fail, and waiters get another worker. If there is no worker, Evict
// does nothing. An error is ctx's cause: the worker ends all the same.
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

// Find returns the worker of a key if it has shaken hands. The result is no lease: Find neither
// starts a worker nor keeps one running.
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

// Ask calls the worker of a key that Find returns, and reports whether there is one.
func (p *Pool[H]) Ask(ctx context.Context, key, method string, params, result any) (there bool, err error) {
	w, there := p.Find(key)
	if !there {
		return false, nil
	}
	return true, w.Call(ctx, method, params, result)
}

// Status is a snapshot of the worker of one key.
type Status struct {
	Key    string
	State  State
	PID    int       // the worker's process ID; 0 without a worker
	Since  time.Time // when State began
	Turns  int       // answered turns, since the pool began
	Deaths int       // since the pool began

	// Refused is why the worker could not be started the last time, for people; "" if it could.
	Refused string
}

// List returns every worker's Status, sorted by key. It omits keys that were never requested.
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
