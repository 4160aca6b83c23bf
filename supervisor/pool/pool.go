// Package pool keeps each person's worker process: it starts one through mews-spawner when it is first wanted, shakes
// hands with it, lends it out, asks now and then whether it still answers, lets it go when it is idle, and ends it when
// it misbehaves. One goroutine for each person owns what the pool knows of that person's worker, so that nobody waits
// for anybody else's.
//
//	Pool           lends workers by a person's name; Run ends them all
//	managedWorker  one person's worker: who waits, when to start, evict, back off, give up (policy)
//	process        one worker process, from its start to its end (mechanism)
//	Spawner        keeps mews-spawner running: it is started again when it dies
package pool

import (
	"context"
	"errors"
	"sort"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/protocol/spawnwire"
)

// Host answers one worker process; it is made anew for each. What a worker sends may reach it before Handshaken does: the
// worker is hostile. When the worker ends, the contexts of its calls end, and they must return soon.
type Host interface {
	protocol.Handler
	Handshaken(protocol.HelloResult) // once, when the handshake is done and before anybody has the worker
}

// Peer is what a Host is given of its worker. Its methods may be called from any goroutine.
type Peer interface {
	Notify(ctx context.Context, method string, params any) error
	End(reason error) // ends the worker for a violation; the reason goes to the log and to Worker.Err
}

// Place is where a person's home lies, and what the worker in it may have. The spawner opens Path beneath Root.
type Place struct {
	Root     string // absolute
	Path     string // relative to Root; "." is Root itself
	UID, GID uint32 // the person's own account; 0: the one that the spawner has for those without
	Memory   uint64 // bytes, of the worker and all that it runs; 0 is the spawner's own limit
	PIDs     uint32 // processes and threads of it
	Binds    []spawnwire.Bind
}

// LimitHit is a limit that ended or refused something of a worker, which goes on.
type LimitHit struct {
	Limit string // memory, pids
	Most  int64  // the limit: bytes, or processes
	Times int
}

// Options are what a Pool is made of.
type Options struct {
	Spawner *Spawner // the Pool runs it, and closes it when it ends
	Host    func(user string, peer Peer) Host
	// Hello says what a worker is told and where its home is. An error reaches whoever wants the worker, at once. It is
	// called before each start, from the person's own goroutine, and must not wait for long. Version is filled in.
	Hello func(user string) (protocol.Hello, Place, error)
	// SelfTest is given a worker that is nobody's, in the folder SelfTestPlace, before anybody gets one; where it fails, nobody does,
	// and Run returns its error. nil: there is none.
	SelfTest      func(ctx context.Context, worker *protocol.Conn) error
	SelfTestPlace Place
	// OnLimit is told when a limit has struck somebody's worker, from any goroutine. nil: nobody is.
	OnLimit func(user string, s LimitHit)
	OnStart func(user string, pid int) // is told when somebody's worker has started, likewise. nil: nobody is.
	Log     hclog.Logger
	Timings Timings
	Now     func() time.Time // nil is time.Now
}

// Timings are how long things may take. A field's zero value is its default.
type Timings struct {
	Handshake     time.Duration // from the wish for a process to its answer to hello; 10 s
	PingEvery     time.Duration // between two questions whether it still answers; 30 s
	PingAnswer    time.Duration // for the answer; 10 s
	Idle          time.Duration // from the last release to eviction; 30 min
	Grace         time.Duration // from closing the socket to SIGTERM; 2 s
	Term          time.Duration // from SIGTERM to SIGKILL; 2 s
	Kill          time.Duration // for SIGKILL to do its work, after which the spawner is ended; 10 s
	Write         time.Duration // in which a worker must take what is written to it; 10 s
	BackoffMin    time.Duration // before the start that follows a death, doubled with each; 200 ms
	BackoffMax    time.Duration // the most that doubling leads to; 60 s
	BreakerDeaths int           // so many deaths...; 5
	BreakerWindow time.Duration // ...within this, and it is not started again until the first of them is as old; 5 min
}

func (t Timings) withDefaults() Timings {
	orElse(&t.Handshake, 10*time.Second)
	orElse(&t.PingEvery, 30*time.Second)
	orElse(&t.PingAnswer, 10*time.Second)
	orElse(&t.Idle, 30*time.Minute)
	orElse(&t.Grace, 2*time.Second)
	orElse(&t.Term, 2*time.Second)
	orElse(&t.Kill, 10*time.Second)
	orElse(&t.Write, 10*time.Second)
	orElse(&t.BackoffMin, 200*time.Millisecond)
	orElse(&t.BackoffMax, 60*time.Second)
	orElse(&t.BreakerDeaths, 5)
	orElse(&t.BreakerWindow, 5*time.Minute)
	return t
}

func orElse[T int | time.Duration](value *T, standard T) {
	if *value <= 0 {
		*value = standard
	}
}

// ErrClosed is returned by Acquire when the pool has ended or is ending.
var ErrClosed = errors.New("the worker pool is closed")

// Pool lends workers. Its methods may be called from any goroutine.
type Pool struct {
	options Options
	started chan struct{} // closed when Run has begun

	mu      sync.Mutex // of what follows
	workers map[string]*managedWorker
	group   *sync.WaitGroup // the workers' goroutines; nil when no more may begin
}

// New makes a pool. It does nothing before Run.
func New(o Options) *Pool {
	o.Timings = o.Timings.withDefaults()
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Pool{options: o, started: make(chan struct{}), workers: map[string]*managedWorker{}}
}

// Run keeps the workers until ctx ends; it then ends them all at once, and the spawner last, and returns when nothing
// is left. Once only. An error says that something could not be ended in good order.
func (p *Pool) Run(ctx context.Context) error {
	serving, end := context.WithCancel(context.WithoutCancel(ctx)) // the spawner outlives the workers
	defer end()
	var spawner sync.WaitGroup
	var err error
	gone := make(chan struct{})
	spawner.Go(func() { defer close(gone); err = p.options.Spawner.run(serving) })
	var workers sync.WaitGroup
	tried := p.selfTest(ctx)
	if tried == nil {
		p.open(&workers)
		select {
		case <-ctx.Done():
		case <-gone: // the one that has started this process: nothing more can be done
		}
	}
	p.close()
	workers.Wait()
	end()
	spawner.Wait()
	return errors.Join(tried, err)
}

func (p *Pool) open(group *sync.WaitGroup) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.group = group
	close(p.started)
}

// close tells every worker to end. After it none begins.
func (p *Pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.group = nil
	for _, s := range p.workers {
		close(s.closing)
	}
}

// Acquire lends the user's worker, which is started if there is none. It waits until ctx ends, also through the
// back-off after a death; while the breaker is open it returns a *BrokenError at once. The worker may be lent to others
// at the same time. The caller must Release it.
func (p *Pool) Acquire(ctx context.Context, user string) (*Worker, error) {
	select {
	case <-p.started:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s, err := p.worker(user)
	if err != nil {
		return nil, err
	}
	return s.acquire(ctx)
}

// worker is the user's, which begins with the first request for it and ends with Run.
func (p *Pool) worker(user string) (*managedWorker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.group == nil {
		return nil, ErrClosed
	}
	s := p.workers[user]
	if s == nil {
		s = newManagedWorker(user, &p.options)
		p.workers[user] = s
		p.group.Go(s.run)
	}
	return s, nil
}

// Status is how one person's worker stood at some moment.
type Status struct {
	User   string
	State  State
	PID    int       // of the worker; 0 where there is none
	Since  time.Time // of State
	Turns  int       // answered, since the pool began
	Deaths int       // since the pool began
}

// List gives every worker's Status, sorted by user. A person who never wanted a worker has none.
func (p *Pool) List() []Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Status, 0, len(p.workers))
	for _, s := range p.workers {
		list = append(list, *s.status.Load())
	}
	sort.Slice(list, func(i, k int) bool { return list[i].User < list[k].User })
	return list
}
