package pool

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol/spawnwire"
)

// Spawner is the hold on mews-spawner. When that dies, its workers have died with it; it is started again, with
// back-off, for as long as the pool runs.
type Spawner struct {
	path, worker string
	log          hclog.Logger

	mu     sync.Mutex    // of what follows; it also keeps spawns in the order of their numbers
	reign  *reign        // nil while no spawner runs
	begun  chan struct{} // closed while one runs
	last   uint64        // the newest worker's number, over all reigns
	walls  spawnwire.Ready
	answer time.Duration // in which a spawner must say what became of a wish
}

const (
	readyWait    = 10 * time.Second       // for a new spawner's first word
	sendWait     = 5 * time.Second        // for the spawner to read
	answerWait   = 5 * time.Second        // for what became of a wish, after which the spawner is taken to hang
	endWait      = 10 * time.Second       // from closing its socket to SIGKILL; it kills and reaps all workers meanwhile
	respawnFirst = 200 * time.Millisecond // before a dead spawner is started again, doubled each time
	respawnMost  = 60 * time.Second       //
	steady       = time.Minute            // a spawner that lived so long starts the doubling anew
)

var (
	errNoSpawner = errors.New("mews-spawner is not running; it is being started again")
	errLost      = errors.New("mews-spawner ended, and every worker with it")
)

// StartSpawner starts the program at path, which starts workers from the program at workerPath, and waits until it is
// ready, or ctx ends, which means nothing later. The Pool that gets the result runs and ends it; without a Pool, Close
// does.
//
// This process becomes a sub-reaper (prctl(2)), and when a spawner has ended, its children in other sessions than its
// own are killed, because they are what workers left: it must not start anything else with Setsid.
func StartSpawner(ctx context.Context, path, workerPath string, log hclog.Logger) (*Spawner, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("start mews-spawner: %w", err)
	}
	if workerPath, err = filepath.Abs(workerPath); err != nil {
		return nil, fmt.Errorf("start mews-spawner: %w", err)
	}
	s := &Spawner{path: path, worker: workerPath, log: log, begun: make(chan struct{}), answer: answerWait}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Walls says which walls the workers get: the tier's name, and a sentence for people.
func (s *Spawner) Walls() (tier, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.walls.Tier, s.walls.Why
}

// PID is the spawner's process; 0 while none runs.
func (s *Spawner) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reign == nil {
		return 0
	}
	return s.reign.cmd.Process.Pid
}

// Close ends a spawner that no Pool runs, and waits for it.
func (s *Spawner) Close() error {
	r := s.retire()
	if r == nil {
		return nil
	}
	return errors.Join(r.end(endWait), r.stderr.Close())
}

// begin starts a spawner and makes it the present one.
func (s *Spawner) begin(ctx context.Context) error {
	r, ready, err := startReign(ctx, s.path, s.worker)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reign, s.walls = r, ready
	close(s.begun)
	return nil
}

// retire takes the present spawner out of use.
func (s *Spawner) retire() *reign {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.reign
	if r != nil {
		s.reign, s.begun = nil, make(chan struct{})
	}
	return r
}

func (s *Spawner) present() *reign {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reign
}

// run keeps a spawner until ctx ends. An error says that the last one did not end as it should.
func (s *Spawner) run(ctx context.Context) error {
	for wait := respawnFirst; ; {
		began := time.Now()
		err := s.serve(ctx)
		if ctx.Err() != nil {
			return err
		}
		s.log.Error("mews-spawner ended, and every worker with it", "error", err, "again", wait)
		if time.Since(began) > steady {
			wait = respawnFirst
		}
		if wait = s.restart(ctx, wait); wait == 0 {
			return nil
		}
	}
}

// serve listens to the present spawner until it is gone, or ctx ends and it has been ended.
func (s *Spawner) serve(ctx context.Context) error {
	r := s.present()
	var tasks sync.WaitGroup
	defer tasks.Wait()
	gone := make(chan struct{})
	defer close(gone)
	tasks.Go(func() { drain(r.stderr, &tail{}, s.log, gone) })
	unhook := context.AfterFunc(ctx, func() { _ = r.conn.Close() }) // ends listen; end closes it again, and reports
	defer unhook()
	err := r.listen()
	s.retire()
	if ctx.Err() != nil {
		err = nil
	}
	err = errors.Join(err, r.end(endWait))
	_ = r.stderr.SetReadDeadline(time.Now().Add(lastWords)) // it fails only where drain is through, and has closed it
	return err
}

// restart starts a spawner after wait, and then after longer ones until it succeeds. It gives the next wait; 0 when
// ctx ended.
func (s *Spawner) restart(ctx context.Context, wait time.Duration) time.Duration {
	for {
		if within(wait, ctx.Done()) {
			return 0
		}
		wait = min(2*wait, respawnMost)
		err := s.begin(ctx)
		if err == nil {
			return wait
		}
		s.log.Error("start mews-spawner again", "error", err, "again", wait)
	}
}

// spawn asks for a worker; while no spawner runs it waits, until ctx ends. What becomes of it is told by the child: it
// ends at once if it is refused.
func (s *Spawner) spawn(ctx context.Context, m spawnwire.Spawn) (*child, error) {
	if err := s.await(ctx); err != nil {
		return nil, err
	}
	c, ends, err := openEnds()
	if err != nil {
		return nil, err
	}
	defer ends.close()
	if err := s.ask(c, ends, m); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// await waits for a spawner.
func (s *Spawner) await(ctx context.Context) error {
	s.mu.Lock()
	begun := s.begun
	s.mu.Unlock()
	select {
	case <-begun:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ask numbers the child and sends the wish for it, in one step, because the spawner wants the numbers to grow.
func (s *Spawner) ask(c *child, ends theirs, m spawnwire.Spawn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.reign
	if r == nil {
		return errNoSpawner
	}
	s.last++
	c.id, m.ID = s.last, s.last
	return r.ask(c, ends, m, s.answer)
}
