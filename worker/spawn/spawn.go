//go:build linux || darwin

// Package spawn is mews-spawner. It starts workers, reports their ends, and leaves none of their
// processes alive. It is the parent of every worker and the sub-reaper of all their processes. So a
// process that loses its parent becomes a child of the spawner, and is killed. The spawner knows no
// users and never reads a worker's messages.
//
// The spawner works on one goroutine that is locked to its thread, because PDEATHSIG follows the
// thread that forked and not the process (go.dev/issue/27505). A second goroutine only receives.
//
// Package spawn supports macOS only for people who work on Mews. There it has no walls, accounts,
// control groups or sub-reapers: it only kills a worker's process group. That part is compiled, but
// was never run.
package spawn

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"mews/protocol/spawnwire"
	"mews/worker/sandbox"
)

const (
	// time between two sweeps; a sweep costs a millisecond of processor time
	sweepEvery = 2 * time.Second
	retryAfter = 50 * time.Millisecond // time between two checks of killed processes that still exist
	// longest wait for a process that SIGKILL does not end, such as one that waits for a broken
	// disk
	lingerLimit = 2 * time.Second
	sendTimeout = 10 * time.Second // time after which a supervisor that does not read counts as gone
)

// spawner is the state of Run. Only Run's goroutine uses it.
type spawner struct {
	Options
	conn       *spawnwire.Conn
	own        Account // account of this process
	tier       sandbox.Tier
	supervisor int // pid of a living supervisor that this process has started; otherwise 0
	// exit status of an ended supervisor that this process has started
	status       syscall.WaitStatus
	workers      map[uint64]*worker // workers whose end was not reported yet
	last         uint64             // the newest worker's id
	shuttingDown bool               // the supervisor is gone, so every child must end
	results      chan func() error  // results of other goroutines, which Run's goroutine handles
	system                          // fields of this operating system
}

// worker is a started worker.
type worker struct {
	id     uint64
	pid    int // pid of the worker; another process may have this pid once ended is set
	status syscall.WaitStatus
	ended  time.Time // time of reaping; zero while the worker lives
	workerGroup
}

// Run serves the supervisor at the other end of conn until the supervisor is gone. Then Run kills
// every worker, waits until all processes are gone, and returns nil. It takes over conn and the
// whole process, which must have no other children.
//
// Run returns an error if the supervisor broke the wire, or if this system lacks a necessary
// feature. In these cases too, no process is left.
func Run(conn *spawnwire.Conn, o Options) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := prepare(); err != nil {
		return errors.Join(err, conn.Close())
	}
	return newSpawner(conn, o).run(notifySignals())
}

func newSpawner(conn *spawnwire.Conn, o Options) *spawner {
	own := Account{uint32(os.Getuid()), uint32(os.Getgid())}
	return &spawner{Options: o, conn: conn, own: own, workers: map[uint64]*worker{}, results: make(chan func() error, 1)}
}

// notifySignals catches signals. Signals of a terminal or a service manager are meant for the
// supervisor. A supervisor that started this process gets the same signals. For a supervisor that
// this process started, this process forwards the signals. In both cases the supervisor ends the
// workers in good order. Signals are caught and not ignored, because children inherit ignored
// signals.
func notifySignals() (chld, told chan os.Signal) {
	chld, told = make(chan os.Signal, 1), make(chan os.Signal, 8)
	signal.Notify(chld, syscall.SIGCHLD)
	signal.Notify(told, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1)
	return chld, told
}

// run does the work of Run, on a locked thread, in a prepared process.
func (s *spawner) run(chld, told chan os.Signal) error {
	packets := make(chan packet)
	go receive(s.conn, packets)
	defer signal.Stop(chld)
	defer signal.Stop(told)

	err := s.serve(packets, chld, told)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) {
		err = nil // no error: a receive or a send has failed because the supervisor is gone
	}
	if closing := s.conn.Close(); err == nil {
		err = closing
	}
	for range packets { // waits until receive has closed the channel
	}
	return errors.Join(err, s.endAll(chld, told), s.closeGroups())
}

// serve answers the supervisor until the first error.
func (s *spawner) serve(packets <-chan packet, chld, told <-chan os.Signal) error {
	ready, err := s.detectSystem()
	if err == nil {
		err = s.send(ready)
	}
	for err == nil {
		select {
		case p := <-packets:
			err = s.handle(p)
		case <-chld:
		case sig := <-told:
			s.forwardSignal(sig)
		case do := <-s.results:
			err = do()
		case <-s.nextSweep():
		}
		if err == nil {
			err = s.reconcile()
		}
		if err == nil {
			err = s.checkLimits()
		}
	}
	return err
}

// forwardSignal passes a signal on to a supervisor that this process has started. The supervisor
// has not been reaped, so no other process has its pid.
func (s *spawner) forwardSignal(sig os.Signal) {
	if number, ok := sig.(syscall.Signal); ok && s.supervisor > 0 {
		_ = syscall.Kill(s.supervisor, number)
	}
}

// nextSweep fires when the next sweep is due. Sweeps are necessary because no signal reports that a
// process has lost its parent.
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

func (s *spawner) sweep() time.Duration { return cmp.Or(s.Sweep, sweepEvery) }

// packet is the outcome of one Receive.
type packet struct {
	message spawnwire.Message
	fds     []int
	err     error
}

// receive sends packets up to and including the first error to a channel, and then closes the
// channel.
func receive(conn *spawnwire.Conn, to chan<- packet) {
	defer close(to)
	for {
		var p packet
		p.message, p.fds, p.err = conn.Receive()
		to <- p
		if p.err != nil {
			return
		}
	}
}

func (s *spawner) send(m spawnwire.Message) error { return s.conn.Send(m, sendTimeout) }

func (s *spawner) handle(p packet) error {
	if p.err != nil {
		return p.err
	}
	defer spawnwire.CloseDescriptors(p.fds)
	switch m := p.message.(type) {
	case spawnwire.SpawnRequest:
		return s.spawn(m, p.fds)
	case spawnwire.KillRequest:
		return s.kill(m, p.fds)
	case spawnwire.EndProgramsRequest:
		return s.endPrograms(m, p.fds)
	case spawnwire.AliveRequest:
		return s.notifyManager(m, p.fds)
	}
	return fmt.Errorf("the supervisor sent %T, which is not for a spawner", p.message)
}

// spawn starts a worker and answers with a StartedMessage or a RefusedMessage.
func (s *spawner) spawn(m spawnwire.SpawnRequest, fds []int) error {
	if m.ID <= s.last {
		return fmt.Errorf("the supervisor asked for worker %d after worker %d", m.ID, s.last)
	}
	if len(fds) != 2 {
		return fmt.Errorf("the supervisor sent %d descriptors for worker %d, want 2", len(fds), m.ID)
	}
	s.last = m.ID
	w, fault, err := s.start(m, fds[0], fds[1])
	if err != nil {
		return s.send(spawnwire.RefusedMessage{ID: m.ID, Reason: spawnwire.ClipText(err.Error()),
			Shortage: spawnwire.IsShortage(err)})
	}
	s.workers[m.ID] = w
	return s.send(spawnwire.StartedMessage{ID: m.ID, PID: uint32(w.pid), HistoryFault: spawnwire.ClipText(fault)})
}

// kill signals a worker that has not been reaped. So no other process has its pid.
func (s *spawner) kill(m spawnwire.KillRequest, fds []int) error {
	if len(fds) > 0 {
		return fmt.Errorf("the supervisor sent %d descriptors with kill, want none", len(fds))
	}
	if m.ID > s.last {
		return fmt.Errorf("the supervisor signalled worker %d, which was never asked for", m.ID)
	}
	w := s.workers[m.ID]
	if w == nil || !w.ended.IsZero() {
		return nil
	}
	switch sig := syscall.Signal(m.Signal); sig {
	case syscall.SIGTERM:
		return signalProcess(w.pid, sig)
	case syscall.SIGKILL:
		return signalProcess(-w.pid, sig)
	}
	return fmt.Errorf("the supervisor asked for signal %d, want SIGTERM or SIGKILL", m.Signal)
}

// endPrograms kills all programs of a worker that has not been reaped, and reports that they were
// killed.
func (s *spawner) endPrograms(m spawnwire.EndProgramsRequest, fds []int) error {
	if len(fds) > 0 {
		return fmt.Errorf("the supervisor sent %d descriptors with the end of programs, want none", len(fds))
	}
	if m.ID > s.last {
		return fmt.Errorf("the supervisor ended the programs of worker %d, which was never asked for", m.ID)
	}
	w := s.workers[m.ID]
	if w == nil || !w.ended.IsZero() {
		return nil
	}
	killed, err := s.killPrograms(w)
	if err != nil {
		return err
	}
	return s.send(spawnwire.LimitHitMessage{ID: m.ID, Kind: m.Kind, Limit: m.Limit, Times: uint32(min(killed, 1))})
}

// signalProcess is kill(2). ESRCH is no error: the process has ended, and reap will find it. EPERM
// is no error either: a process with other credentials must not be able to end the spawner. The
// next sweep tries again.
func signalProcess(pid int, sig syscall.Signal) error {
	err := syscall.Kill(pid, sig)
	if err != nil && err != syscall.ESRCH && err != syscall.EPERM {
		return fmt.Errorf("signal %v to %d: %w", sig, pid, err)
	}
	return nil
}
