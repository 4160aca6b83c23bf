package pool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol/spawnwire"
)

// Spawner keeps mews-spawner running. If it dies, its workers die with it. As long as the pool
// runs, it is started again, with back-off.
type Spawner struct {
	options SpawnerOptions
	log     hclog.Logger

	// mu guards the fields below, and keeps requests in the order of their numbers.
	mu          sync.Mutex
	current     *spawnerProcess // nil while no spawner runs
	running     chan struct{}   // closed while a spawner runs
	last        uint64          // the newest worker's number, across all spawner processes
	ready       spawnwire.Ready
	answerLimit time.Duration // how long a spawner may take to answer a request
}

const (
	readyWait = 10 * time.Second // how long a new spawner may take to say that it is ready
	sendWait  = 5 * time.Second  // how long the spawner may take to read a message
	// how long the spawner may take to answer a request, before it counts as hung
	answerWait = 5 * time.Second
	// from closing the spawner's socket to SIGKILL; meanwhile it kills and reaps all workers
	endWait = 10 * time.Second
	// pause before a dead spawner is started again, doubled each time
	respawnFirst = 200 * time.Millisecond
	respawnMost  = 60 * time.Second // the longest pause after deaths
	respawnShort = time.Second      // the longest pause if the machine had no room for the spawner
	respawnReset = time.Minute      // a spawner that lived this long resets the back-off
)

var (
	errNoSpawner   = errors.New("mews-spawner is not running; it is being started again")
	errSpawnerLost = errors.New("mews-spawner ended, and every worker with it")
	errOrphaned    = errors.New("the mews-spawner that started this service is gone")
)

// SpawnerOptions configures the spawner: its start, and its policy for workers.
type SpawnerOptions struct {
	Path   string // the spawner's program
	Worker string // the workers' program
	Tier   string // the workers' sandbox; "" or "auto" is the best that works
	// Least is the weakest tier that is allowed: if none works, no worker starts. "" is the
	// spawner's own default.
	Least string
	// UID and GID are the account of workers whose users have none. 0 means this process's account,
	// unless that is root.
	UID, GID uint32
	People   string // "FROM-TO": the uids of users without an account; "" means none
	// Memory is the maximum for a worker and its processes, in bytes; 0 is the spawner's own limit.
	Memory uint64
	PIDs   uint32 // maximum of a worker's processes and threads
	// Started is the socket of the spawner that has started this process and has its own policy.
	// nil means that StartSpawner starts one.
	Started *os.File
	Log     hclog.Logger
}

// policy returns the spawner's arguments, each as key=value.
func (o SpawnerOptions) policy() []string {
	list := []string{"worker=" + o.Worker}
	for _, word := range []struct {
		key   string
		given bool
		value any
	}{
		{"sandbox", o.Tier != "", o.Tier}, {"sandbox_min", o.Least != "", o.Least},
		{"account", o.UID != 0, fmt.Sprintf("%d:%d", o.UID, o.GID)},
		{"people", o.People != "", o.People},
		{"memory", o.Memory != 0, o.Memory}, {"pids", o.PIDs != 0, o.PIDs},
	} {
		if word.given {
			list = append(list, fmt.Sprintf("%s=%v", word.key, word.value))
		}
	}
	return list
}

// StartSpawner starts the spawner and waits until it is ready, or ctx ends. Afterwards ctx has no
// effect. The Pool that gets the result runs and ends it; without a Pool, Close ends it.
//
// This process becomes a sub-reaper (prctl(2)). When a spawner has ended, its workers' processes
// become children of this process, in sessions other than its own. They are killed. So this process
// must not start anything else with Setsid.
func StartSpawner(ctx context.Context, o SpawnerOptions) (*Spawner, error) {
	for _, path := range []*string{&o.Path, &o.Worker} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return nil, fmt.Errorf("start mews-spawner: %w", err)
		}
		*path = absolute
	}
	s := &Spawner{options: o, log: o.Log, running: make(chan struct{}), answerLimit: answerWait}
	_, err := s.begin(ctx)
	return s, err
}

// Sandbox describes how workers are confined.
type Sandbox struct {
	Tier   string `json:"tier"`   // the tier's name: accounts, namespaces, landlock, off
	Why    string `json:"why"`    // a sentence about Tier, for people
	Limits string `json:"limits"` // a sentence about the limits of a worker and its processes
}

// People returns the uid range for workers of users without an account; 0 means none.
func (s *Spawner) People() (from, to uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready.FirstUID, s.ready.LastUID
}

// Weak reports whether the sandbox is weaker than usual. Somebody configured that, and must see the
// consequences.
func (s Sandbox) Weak() bool { return s.Tier == "off" || s.Tier == "landlock" }

// Line describes the sandbox in one line for people.
func (s Sandbox) Line() string {
	if !s.Weak() {
		return s.Tier
	}
	return strings.ToUpper(s.Tier) + " - " + s.Why
}

// Sandbox returns the sandbox that workers get.
func (s *Spawner) Sandbox() Sandbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Sandbox{s.ready.Tier, s.ready.Why, s.ready.Limits}
}

// Close ends a spawner that no Pool runs, and waits for it.
func (s *Spawner) Close() error {
	p := s.takeCurrent()
	if p == nil {
		return nil
	}
	return p.end(endWait)
}

// begin starts a spawner and makes it the current one.
func (s *Spawner) begin(ctx context.Context) (*spawnerProcess, error) {
	p, ready, err := startSpawnerProcess(ctx, s.options)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.ready = p, ready
	close(s.running)
	return p, nil
}

// takeCurrent takes the current spawner out of use; nil means that there is none.
func (s *Spawner) takeCurrent() *spawnerProcess {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.current
	if p != nil {
		s.current, s.running = nil, make(chan struct{})
	}
	return p
}

// run keeps a spawner running until ctx ends. An error means that the last spawner did not end
// properly, or that the spawner that started this process is gone.
func (s *Spawner) run(ctx context.Context) (err error) {
	s.mu.Lock()
	p := s.current
	s.mu.Unlock()
	for wait := respawnFirst; ; wait = min(2*wait, respawnMost) {
		if p != nil {
			began := time.Now()
			err = s.serve(ctx, p)
			switch {
			case ctx.Err() != nil:
				return err
			case s.options.Started != nil:
				return errors.Join(errOrphaned, err)
			case time.Since(began) > respawnReset:
				wait = respawnFirst
			}
		}
		if err != nil && saysShortage(err.Error()) {
			wait = min(wait, respawnShort)
		}
		s.log.Error("mews-spawner is not running", "error", err, "again", wait)
		if waitFor(wait, ctx.Done()) {
			return nil
		}
		p, err = s.begin(ctx)
	}
}

// serve listens to the current spawner until it is gone or ctx ends, and ends it.
func (s *Spawner) serve(ctx context.Context, p *spawnerProcess) error {
	// The close makes listen return. end closes the connection again, and reports errors.
	defer context.AfterFunc(ctx, func() { _ = p.conn.Close() })()
	err := p.listen()
	s.takeCurrent()
	if ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, p.end(endWait))
}

// spawn requests a worker. While no spawner runs, it waits until ctx ends. The child reports how
// the worker's start and run went; a refused child ends at once.
func (s *Spawner) spawn(ctx context.Context, m spawnwire.Spawn, onLimit func(spawnwire.LimitHit)) (*child, error) {
	s.mu.Lock()
	running := s.running
	s.mu.Unlock()
	select {
	case <-running:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c, theirs, err := openChild()
	if err != nil {
		return nil, err
	}
	c.onLimit = onLimit
	err = s.ask(c, theirs, m)
	for _, f := range theirs {
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// ask numbers the child and requests it in one step, because the spawner expects growing numbers.
func (s *Spawner) ask(c *child, theirs []*os.File, m spawnwire.Spawn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return errNoSpawner
	}
	s.last++
	c.id, m.ID = s.last, s.last
	return s.current.ask(c, theirs, m, s.answerLimit)
}
