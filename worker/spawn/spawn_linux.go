// Package spawn is mews-spawner: it starts workers, reports their ends, and leaves nothing of them alive. It is the
// parent of every worker and the sub-reaper of all that they start, so that what loses its parent comes to it, and is
// killed. It knows nothing of people and never reads what a worker says.
//
// Everything happens on one goroutine that holds one thread, because PDEATHSIG follows the thread that forked and not
// the process (go.dev/issue/27505). A second goroutine receives.
package spawn

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"mews/protocol/spawnwire"
	"mews/worker/cgroup"
	"mews/worker/sandbox"
)

// Options say what a spawner may start, and how.
type Options struct {
	Policy
	Sweep  time.Duration // how often living workers' lost children and limits are looked for; 0 is 2 s
	Groups cgroup.Options

	supervisorPID int // the supervisor's pid, where this process has started it; 0
}

const (
	sweepEvery  = 2 * time.Second       // a look costs a millisecond of processor time, mostly for waking up
	retryAfter  = 50 * time.Millisecond // between two looks at what was killed and is still there
	lingerLimit = 2 * time.Second       // a process that SIGKILL does not end within this (dead disk) is waited for no longer
)

// Run serves the supervisor at the other end of conn until it is gone, then kills every worker, waits until nothing is
// left of them, and returns nil. It returns an error if the supervisor broke the wire, or if this system cannot do what
// is needed; nothing is left then either. It takes over conn, and the process: there must be no children but its own.
func Run(conn *spawnwire.Conn, o Options) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := prepare(); err != nil {
		return errors.Join(err, conn.Close())
	}
	chld, told := notifySignals()
	return newSpawner(conn, o).run(chld, told)
}

func newSpawner(conn *spawnwire.Conn, o Options) *spawner {
	s := &spawner{Options: o, conn: conn, own: ownAccount(), children: children{supervisor: o.supervisorPID, workers: map[uint64]*worker{}}}
	s.limiter = limiter{all: s.workers, say: s.send, killDescendants: s.killDescendants, measured: make(chan map[int]cgroup.TreeSize, 1)}
	return s
}

// run is Run, on a thread that is held, in a process that is prepared.
func (s *spawner) run(chld, told chan os.Signal) error {
	packets := make(chan packet)
	go receive(s.conn, packets)
	defer signal.Stop(chld)
	defer signal.Stop(told)

	err := s.serve(packets, chld, told)
	if closing := s.conn.Close(); err == nil {
		err = closing
	}
	for range packets { // until receive has ended
	}
	err = errors.Join(err, s.endAll(chld, told))
	for _, w := range s.workers {
		w.removeGroup()
	}
	if s.groups != nil {
		err = errors.Join(err, s.groups.Close())
	}
	return err
}

// notifySignals sets up the signals. What a terminal or a service manager sends is not for the spawner: a supervisor that
// started it hears it too, one that it has started is passed it, and ends the workers in good order. (Caught and not
// ignored, because children inherit what is ignored.)
func notifySignals() (chld, told chan os.Signal) {
	chld, told = make(chan os.Signal, 1), make(chan os.Signal, 8)
	signal.Notify(chld, syscall.SIGCHLD)
	signal.Notify(told, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1)
	return chld, told
}

// spawner is the state of Run. Only Run's goroutine touches it.
type spawner struct {
	Options
	conn  *spawnwire.Conn
	own   Account // this process's
	power sandbox.Privilege
	tier  sandbox.Tier
	limiter
	children
	last   uint64             // the newest worker's id
	status syscall.WaitStatus // of the supervisor, where this process has started it, once it has ended
}

// children are those that a spawner knows.
type children struct {
	supervisor   int                // its pid, where this process has started it and it lives; 0
	workers      map[uint64]*worker // those whose end has not been reported
	shuttingDown bool               // the supervisor is gone: every child must go
}

// liveWorker is the worker that has this pid, if one does.
func (b *children) liveWorker(pid int) *worker {
	for _, w := range b.workers {
		if w.pid == pid && w.ended.IsZero() {
			return w
		}
	}
	return nil
}

// survivors are the children that live on: the supervisor, and the workers until everything has to end.
func (b *children) survivors() (pids []int) {
	if b.supervisor != 0 {
		pids = append(pids, b.supervisor)
	}
	for _, w := range b.workers {
		if w.ended.IsZero() && !b.shuttingDown {
			pids = append(pids, w.pid)
		}
	}
	return pids
}

// checkNewPID is an error for the pid of a child that is known already. That of a new one may have been told by a process of the
// person's account, which must not have another's worker signalled in its own one's place.
func (b *children) checkNewPID(pid int) error {
	if pid == b.supervisor || b.liveWorker(pid) != nil {
		return fmt.Errorf("it says that it is process %d, which is another one", pid)
	}
	return nil
}

// worker is one that was started.
type worker struct {
	id      uint64
	pid     int // not ours any more once ended is set
	status  syscall.WaitStatus
	ended   time.Time // when it was reaped; zero while it lives
	limits  cgroup.Limits
	group   *cgroup.Group // nil: there are none here
	inGroup bool          // in its group
	hits    cgroup.LimitHits
}

// serve answers the supervisor until it is gone, which is no error, whether it is noticed in hearing or in telling.
func (s *spawner) serve(packets <-chan packet, chld, told <-chan os.Signal) error {
	err := s.loop(packets, chld, told)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

func (s *spawner) loop(packets <-chan packet, chld, told <-chan os.Signal) error {
	ready, err := s.detectSystem()
	if err != nil {
		return err
	}
	if err := s.send(ready); err != nil {
		return err
	}
	for {
		var err error
		select {
		case p := <-packets:
			err = s.handle(p)
		case <-chld:
		case sig := <-told:
			s.forward(sig)
		case sums := <-s.measured:
			err = s.enforce(sums)
		case <-s.nextSweep():
		}
		if err == nil {
			err = s.reconcile()
		}
		if err == nil {
			err = s.checkLimits(s.sweep())
		}
		if err != nil {
			return err
		}
	}
}

// detectSystem finds out what this system can do.
func (s *spawner) detectSystem() (m spawnwire.Ready, err error) {
	if s.power, err = sandbox.OwnPrivilege(); err != nil {
		return m, err
	}
	if err := s.limitAccounts(s.power, s.own); err != nil {
		return m, err
	}
	supervisor := s.supervisor
	if supervisor == 0 {
		supervisor = os.Getppid()
	}
	limits, err := s.openGroups(s.Groups, supervisor)
	if err != nil {
		return m, err
	}
	why, err := s.detectTier()
	if err != nil {
		return m, err
	}
	return spawnwire.Ready{Version: spawnwire.Version, Tier: string(s.tier), Why: spawnwire.Clip(why),
		Limits: spawnwire.Clip(limits)}, nil
}

// openGroups finds the control groups, and says for people what holds. Where this process and its supervisor are not
// alone in the folder that they were given, as in a terminal, there are none for workers.
func (l *limiter) openGroups(o cgroup.Options, supervisor int) (why string, err error) {
	if l.groups, err = cgroup.Open(o); err != nil {
		return "", err
	}
	if err := l.groups.MakeRoom(supervisor); err != nil {
		return "No control groups: " + err.Error() + ". A watchdog looks at the memory every few seconds.", nil
	}
	l.grouped = l.groups.Kind() != cgroup.None
	why = l.groups.Why()
	if l.grouped && !l.groups.Enabled("memory") {
		why += " A watchdog looks at the memory every few seconds."
	}
	return why, l.groups.Sweep(isStale)
}

// limitAccounts has this process change to the accounts of its policy alone.
func (p Policy) limitAccounts(power sandbox.Privilege, own Account) error {
	if power == sandbox.PrivilegeNone {
		return nil
	}
	allowed := []sandbox.IDRange{{From: p.UIDs.From, To: p.UIDs.To}}
	for _, a := range []Account{p.Account, own} {
		if a.UID != 0 {
			allowed = append(allowed, sandbox.IDRange{From: a.UID, To: a.UID}, sandbox.IDRange{From: a.GID, To: a.GID})
		}
	}
	return sandbox.RestrictSetID(allowed)
}

// detectTier finds the walls that hold, with a folder that the account which would have them may enter. It is not given to
// the account: that takes a capability more than to change to it.
func (s *spawner) detectTier() (why string, err error) {
	account, err := s.workerAccount(Account{}, s.own)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "mews-walls-")
	if err != nil {
		return "", fmt.Errorf("make a folder to try the walls in: %w", err)
	}
	defer os.Remove(dir)
	scratch := filepath.Join(dir, ".tmp") // the landlock tier's, which a person's account makes in a home of its own
	defer os.Remove(scratch)
	if err := errors.Join(os.Mkdir(scratch, 0o700), os.Chmod(dir, 0o711)); err != nil {
		return "", fmt.Errorf("make a folder to try the walls in: %w", err)
	}
	s.tier, why, err = sandbox.Detect(sandbox.DetectOptions{Tier: s.Tier, MinTier: s.MinTier, Privilege: s.power, UID: int(account.UID),
		GID: int(account.GID), Dir: dir})
	return why, err
}

// forward passes a signal on to a supervisor that this process has started. It has not been reaped, so the pid is its own.
func (s *spawner) forward(sig os.Signal) {
	if number, ok := sig.(syscall.Signal); ok && s.supervisor > 0 {
		_ = syscall.Kill(s.supervisor, number)
	}
}

// nextSweep is when to look again without being told to: nobody is told that a process has lost its parent.
func (s *spawner) nextSweep() <-chan time.Time {
	if len(s.workers) == 0 {
		return nil
	}
	for _, w := range s.workers {
		if !w.ended.IsZero() {
			return time.After(retryAfter)
		}
	}
	return time.After(s.sweep())
}

func (o Options) sweep() time.Duration { return cmp.Or(o.Sweep, sweepEvery) }

func (s *spawner) handle(p packet) error {
	if p.err != nil {
		return p.err
	}
	defer spawnwire.CloseAll(p.fds)
	switch m := p.message.(type) {
	case spawnwire.Spawn:
		return s.spawn(m, p.fds)
	case spawnwire.Kill:
		return s.kill(m, p.fds)
	}
	return fmt.Errorf("the supervisor sent %T, which is not for a spawner", p.message)
}

func (s *spawner) send(m spawnwire.Message) error { return s.conn.Send(m, sendTimeout) }
