// Package pool manages the running workers. It starts a worker through mews-spawner at the first
// request, shakes hands with it, lends it, and pings it. It evicts idle workers, and ends workers
// that misbehave. Each worker has a goroutine that owns its state, so that no worker waits for
// another.
//
// Pool lends workers by the key of their spec; Run ends them all. managedWorker is the worker of
// one key. It decides who waits, and when the worker is started, evicted, delayed or given up.
// process is one worker process, from its start to its end. Spawner keeps mews-spawner running, and
// starts it again if it dies.
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

// Host answers the calls of one worker process. The worker is hostile: it may call before the
// handshake has ended. When the worker ends, the contexts of its calls end, and the calls must
// return soon.
type Host interface {
	protocol.Handler
	// OnHandshake is called once, after the handshake and before the worker is lent.
	OnHandshake(protocol.HelloResult)
}

// Options configures a Pool. H is the type that answers workers' calls.
type Options[H Host] struct {
	Spawner *Spawner // the Pool runs and closes it
	// Host makes the Host of a worker that has a Hello. The function end ends the worker for a
	// violation; any goroutine may call it, and it does not wait. The reason is logged, and
	// Worker.Err returns it.
	Host func(user string, end func(reason error)) H
	// SelfTest gets a worker of SelfTestSpec before any other worker is lent. If it fails, no
	// worker is lent, and Run returns its error. nil means no self-test.
	SelfTest     func(ctx context.Context, worker *Worker[H]) error
	SelfTestSpec WorkerSpec
	// OnLimit is called when a user's worker hits a limit, on any goroutine. nil means no call.
	OnLimit func(user string, hit spawnwire.LimitHitMessage)
	// OnStart is called when a user's worker has started, on any goroutine. nil means no call.
	OnStart func(user string, pid int)
	// OnHistory is called when a user's worker whose location has a file history has started, on
	// any goroutine. fault says why the worker does not have that history; "" means that it has it.
	// nil means no call.
	OnHistory func(user, fault string)
	Log       hclog.Logger
	Timings   Timings
	Now       func() time.Time
}

// Timings sets timeouts and pauses. A zero field means its default.
type Timings struct {
	Handshake  time.Duration // from the request of a process to its answer to hello; default 10 s
	SelfTest   time.Duration // how long a worker may take to try the walls, also on a busy machine; default 1 min
	PingEvery  time.Duration // time between two pings; default 30 s
	PingAnswer time.Duration // how long a worker may take to answer a ping; default 10 s
	Idle       time.Duration // from the last release to eviction; default 30 min
	Grace      time.Duration // from closing the socket to SIGTERM; default 2 s
	Term       time.Duration // from SIGTERM to SIGKILL; default 2 s
	// from SIGKILL of the worker to the kill of the spawner, if the worker has not ended; default
	// 10 s
	Kill       time.Duration
	Write      time.Duration // how long a worker may take to read a message; default 10 s
	BackoffMin time.Duration // pause after a death, doubled after each further death; default 200 ms
	BackoffMax time.Duration // the longest pause after deaths; default 60 s
	// pause before the next start if the machine has no room for a worker; default 1 s
	Shortage      time.Duration
	BreakerDeaths int // number of deaths that opens the breaker; default 5
	// BreakerWindow is the time within which BreakerDeaths deaths open the breaker; default 5 min.
	// The breaker closes when the first of these deaths is older than BreakerWindow.
	BreakerWindow time.Duration
}

func (t Timings) withDefaults() Timings {
	return Timings{
		Handshake:     cmp.Or(t.Handshake, 10*time.Second),
		SelfTest:      cmp.Or(t.SelfTest, time.Minute),
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

// errKeyEnded is returned by managedWorker.acquire after its goroutine has ended.
var errKeyEnded = errors.New("the worker's goroutine has ended")

// Pool lends workers. Its methods are safe for several goroutines.
type Pool[H Host] struct {
	options Options[H]
	started chan struct{} // closed when the self-test has passed

	mu      sync.Mutex // guards the fields below
	workers map[string]*managedWorker[H]
	group   *sync.WaitGroup // goroutines of the workers; nil means that no worker may start
}

// New returns a pool; call Run to start it.
func New[H Host](o Options[H]) *Pool[H] {
	o.Timings = o.Timings.withDefaults()
	return &Pool[H]{options: o, started: make(chan struct{}), workers: map[string]*managedWorker[H]{}}
}

// Run runs the pool until ctx ends. It then ends all workers at once, and after them the spawner.
// It returns when no process is left. Call Run only once. An error means that a process did not end
// properly, or that the self-test failed.
func (p *Pool[H]) Run(ctx context.Context) error {
	// the spawner must outlive the workers
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

// setGroup lets workers start in a group of goroutines. nil ends all workers, and none may start.
func (p *Pool[H]) setGroup(group *sync.WaitGroup) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.group = group
	for _, m := range p.workers {
		close(m.closing)
	}
}

// selfTest runs Options.SelfTest, before any other worker is lent.
func (p *Pool[H]) selfTest(ctx context.Context) error {
	if p.options.SelfTest == nil {
		return nil
	}
	bounded, cancel := context.WithTimeoutCause(ctx, p.options.Timings.SelfTest, errSelfTestTime)
	defer cancel()
	w, err := p.acquire(bounded, p.options.SelfTestSpec)
	if err == nil {
		err = w.ReleaseAndWait(p.options.SelfTest(bounded, w))
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("try the walls: %w", err)
	}
	return nil
}

// Acquire lends the worker of a spec's key, and starts it if necessary. It waits until ctx ends,
// also for the pause after a death. While the breaker is open it returns a *CrashLoopError at once.
// Several callers may have the worker at the same time. Each must Release it.
func (p *Pool[H]) Acquire(ctx context.Context, spec WorkerSpec) (*Worker[H], error) {
	select {
	case <-p.started:
		return p.acquire(ctx, spec)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// acquire is like Acquire, but also works before the self-test has passed.
func (p *Pool[H]) acquire(ctx context.Context, spec WorkerSpec) (*Worker[H], error) {
	for {
		m, err := p.worker(spec)
		if err != nil {
			return nil, err
		}
		// a one-shot worker that has just ended is replaced
		if w, err := m.acquire(ctx, spec); err != errKeyEnded {
			return w, err
		}
	}
}

// worker returns the managedWorker of a key, and makes it at the first request. A managedWorker
// ends with Run, or after the end of its one-shot worker.
func (p *Pool[H]) worker(spec WorkerSpec) (*managedWorker[H], error) {
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

// Evict ends the worker of a key, even a busy one, and returns when it is gone. This does not count
// as a death. The worker's calls fail, and waiting requests get another worker. Without a worker,
// Evict does nothing. If ctx ends first, Evict returns the cause of ctx, and the worker still ends.
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

// Limits for EndPrograms, as kinds of a LimitHitMessage.
const (
	LimitHomeBytes = "disk"       // limit of the bytes in a home
	LimitHomeFiles = "disk_files" // limit of the number of files in a home
	LimitFreeSpace = "disk_full"  // lower limit of the free space of a disk that other programs use too
)

// endedLimits are the limits for EndPrograms. The spawner's message about such a limit answers a
// request.
var endedLimits = map[string]bool{LimitHomeBytes: true, LimitHomeFiles: true, LimitFreeSpace: true}

// EndPrograms ends all programs of a key's worker because of a limit. It waits until they have
// ended, or until ctx ends. The worker keeps running. EndPrograms returns whether programs ran;
// OnLimit is called then. Only one goroutine may call it.
func (p *Pool[H]) EndPrograms(ctx context.Context, key, kind string, limit uint64) bool {
	w, there := p.Find(key)
	return there && w.process.endPrograms(ctx, kind, limit)
}

// Find returns the worker of a key if it has shaken hands. The result is no lease, so it does not
// keep the worker running.
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

// CallIfRunning calls the worker of a key, if the worker runs. there says whether the worker runs.
func (p *Pool[H]) CallIfRunning(ctx context.Context, key, method string, params, result any) (there bool, err error) {
	w, there := p.Find(key)
	if !there {
		return false, nil
	}
	return true, w.Call(ctx, method, params, result)
}

// WorkerStatus is a snapshot of a worker's state.
type WorkerStatus struct {
	Key    string
	State  WorkerState
	PID    int       // process ID; 0 without a process
	Since  time.Time // time at which the state began
	Turns  int       // number of answered turns since the pool began
	Deaths int       // number of deaths since the pool began

	// Refused is why the last start of the worker was refused, for people; "" if it was not.
	Refused string
}

// List returns the status of each worker that was ever requested, sorted by key.
func (p *Pool[H]) List() []WorkerStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]WorkerStatus, 0, len(p.workers))
	for _, m := range p.workers {
		list = append(list, *m.status.Load())
	}
	slices.SortFunc(list, func(a, b WorkerStatus) int { return strings.Compare(a.Key, b.Key) })
	return list
}
