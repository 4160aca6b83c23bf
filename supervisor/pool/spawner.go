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

// Spawner keeps mews-spawner running. If mews-spawner dies, its workers die with it. While the pool
// runs, Spawner starts mews-spawner again, after a pause.
type Spawner struct {
	options SpawnerOptions
	log     hclog.Logger

	// mu guards the fields below. It also keeps requests in the order of their numbers.
	mu          sync.Mutex
	current     *spawnerProcess // nil while no spawner runs
	running     chan struct{}   // closed while a spawner runs
	last        uint64          // number of the newest worker, counted over all spawner processes
	ready       spawnwire.ReadyMessage
	answerLimit time.Duration // how long a spawner may take to answer a request
}

const (
	readyWait = 10 * time.Second // how long a new spawner may take until it is ready
	sendWait  = 5 * time.Second  // how long the spawner may take to read a message
	// how long the spawner may take to answer a request; after that it counts as hung
	answerWait = 5 * time.Second
	// time from closing the spawner's socket to SIGKILL; meanwhile the spawner kills and reaps all
	// workers
	endWait = 10 * time.Second
	// pause before a dead spawner is started again; doubled after each further death
	respawnFirst = 200 * time.Millisecond
	respawnMost  = 60 * time.Second // the longest pause after deaths
	respawnShort = time.Second      // pause if the machine has no room for the spawner
	respawnReset = time.Minute      // a spawner that ran at least this long resets the pauses to the shortest
)

var (
	errNoSpawner   = errors.New("mews-spawner is not running; it is being started again")
	errSpawnerLost = errors.New("mews-spawner ended, and every worker with it")
	errOrphaned    = errors.New("the mews-spawner that started this service is gone")
)

// SpawnerOptions configures the start of mews-spawner, and its policy for workers.
type SpawnerOptions struct {
	Path   string // path of the program mews-spawner
	Worker string // path of the program mews-worker
	Tier   string // tier of the workers' sandbox; "" or "auto" means the best that works
	// Least is the weakest allowed tier. If no allowed tier works, no worker starts. "" means the
	// spawner's own default.
	Least string
	// UID and GID are the account of workers whose users have no account. 0 means this process's
	// account, unless that is root.
	UID, GID uint32
	People   string // "FROM-TO": uids for users without an account; "" means no uids
	// Memory limits a worker and its processes, in bytes; 0 means the spawner's own limit.
	Memory uint64
	PIDs   uint32 // maximum of processes and threads of a worker
	// Started is the socket of the spawner that has started this process, and that has its own
	// policy. nil means that StartSpawner starts a spawner.
	Started *os.File
	Log     hclog.Logger
}

// policy returns the arguments of mews-spawner, each as key=value.
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

// StartSpawner starts the spawner and waits until it is ready, or ctx ends. After that ctx has no
// effect. A Pool runs and ends the spawner; without a Pool, call Close.
//
// This process becomes a sub-reaper (prctl(2)). When a spawner has ended, this process kills the
// remaining processes of the spawner's workers. They are then children of this process, in other
// sessions. So this process must not start anything else with Setsid.
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

// Sandbox describes the walls around workers.
type Sandbox struct {
	Tier   string `json:"tier"`   // name of the tier: accounts, namespaces, landlock or off
	Why    string `json:"why"`    // a sentence that explains the tier, for people
	Limits string `json:"limits"` // a sentence about the limits of a worker and its processes, for people
}

// UIDRange returns the uid range for workers of users without an account; 0 means no range.
func (s *Spawner) UIDRange() (from, to uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready.FirstUID, s.ready.LastUID
}

// IsWeak reports whether the sandbox is weaker than usual. Such a sandbox must be configured, and
// its consequences must be shown.
func (s Sandbox) IsWeak() bool { return s.Tier == "off" || s.Tier == "landlock" }

// Summary describes the sandbox for people, in one line.
func (s Sandbox) Summary() string {
	if !s.IsWeak() {
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

// Close ends a spawner that no Pool runs, and waits for its end.
func (s *Spawner) Close() error {
	p := s.takeCurrent()
	if p == nil {
		return nil
	}
	return p.end(endWait)
}

// begin starts a spawner and makes it the current spawner.
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

// takeCurrent removes and returns the current spawner; nil means no spawner.
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
// properly. It may also mean that the spawner that started this process is gone.
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
	// this close makes listen return; end closes again, and reports errors
	defer context.AfterFunc(ctx, func() { _ = p.conn.Close() })()
	err := p.listen()
	s.takeCurrent()
	if ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, p.end(endWait))
}

// spawn requests a worker. While no spawner runs, it waits until ctx ends. The child reports the
// worker's start and end; a refused child ends at once.
func (s *Spawner) spawn(ctx context.Context, m spawnwire.SpawnRequest, onLimit func(spawnwire.LimitHitMessage)) (*child,
	error) {
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

// ask numbers the child and requests it under one lock, because the spawner expects rising numbers.
func (s *Spawner) ask(c *child, theirs []*os.File, m spawnwire.SpawnRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return errNoSpawner
	}
	s.last++
	c.id, m.ID = s.last, s.last
	return s.current.ask(c, theirs, m, s.answerLimit)
}
