//go:build linux || darwin

// Package spawn is mews-spawner: it starts workers, reports their ends, and leaves nothing of them
// alive. It is the parent of every worker and the sub-reaper of all that workers start: a process
// that loses its parent becomes a child of the spawner, and is killed. It knows nothing of people
// and never reads what a worker says.
//
// Everything happens on one goroutine that holds one thread, because PDEATHSIG follows the thread
// that forked and not the process (go.dev/issue/27505). A second goroutine receives.
//
// On macOS, which is for people who work on Mews, there are no walls, no accounts, no control
// groups and no sub-reapers: it kills a worker's process group and no more. That part is compiled
// and has not been run.
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
	// a sweep costs a millisecond of processor time, mostly for waking up
	sweepEvery = 2 * time.Second
	retryAfter = 50 * time.Millisecond // between two looks at what was killed and is still there
	// a process that SIGKILL does not end within this (dead disk) is waited for no longer
	lingerLimit = 2 * time.Second
	sendTimeout = 10 * time.Second // a supervisor that does not read is as good as gone
)

// spawner is the state of Run. Only Run's goroutine touches it.
type spawner struct {
	Options
	conn       *spawnwire.Conn
	own        Account // this process's
	tier       sandbox.Tier
	supervisor int // its pid, if this process has started it and it lives; 0
	// of the supervisor, if this process has started it, once it has ended
	status       syscall.WaitStatus
	workers      map[uint64]*worker // those whose end has not been reported
	last         uint64             // the newest worker's id
	shuttingDown bool               // the supervisor is gone: every child must go
	results      chan func() error  // of work in other goroutines, to be done on this one
	system                          // what only this operating system has
}

// worker is one that was started.
type worker struct {
	id     uint64
	pid    int // not ours any more once ended is set
	status syscall.WaitStatus
	ended  time.Time // when it was reaped; zero while it lives
	workerGroup
}

// Run serves the supervisor at the other end of conn until it is gone, then kills every worker,
// waits until nothing is left of them, and returns nil. It returns an error if the supervisor broke
// the wire, or if this system cannot do what is needed; nothing is left then either. It takes over
// conn, and the process: there must be no children but its own.
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

// notifySignals sets up the signals. What a terminal or a service manager sends is not for the
// spawner: a supervisor that started it gets it too, and a supervisor that it started gets it
// passed on, and ends the workers in good order. (The signals are caught and not ignored, because
// children inherit what is ignored.)
func notifySignals() (chld, told chan os.Signal) {
	chld, told = make(chan os.Signal, 1), make(chan os.Signal, 8)
	signal.Notify(chld, syscall.SIGCHLD)
	signal.Notify(told, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1)
	return chld, told
}

// run is Run, on a thread that is held, in a process that is prepared.
func (s *spawner) run(chld, told chan os.Signal) error {
	packets := make(chan packet)
	go receive(s.conn, packets)
	defer signal.Stop(chld)
	defer signal.Stop(told)

	err := s.serve(packets, chld, told)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) {
		err = nil // the supervisor is gone, noticed while receiving or while sending
	}
	if closing := s.conn.Close(); err == nil {
		err = closing
	}
	for range packets { // until receive has ended
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
			s.forward(sig)
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

// forward passes a signal on to a supervisor that this process has started. It has not been reaped,
// so the pid is its own.
func (s *spawner) forward(sig os.Signal) {
	if number, ok := sig.(syscall.Signal); ok && s.supervisor > 0 {
		_ = syscall.Kill(s.supervisor, number)
	}
}

// nextSweep fires when it is time to look again: nobody is told that a process has lost its parent.
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

// receive hands over packets up to and including the first error, and closes the channel.
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
	defer spawnwire.CloseAll(p.fds)
	switch m := p.message.(type) {
	case spawnwire.Spawn:
		return s.spawn(m, p.fds)
	case spawnwire.Kill:
		return s.kill(m, p.fds)
	}
	return fmt.Errorf("the supervisor sent %T, which is not for a spawner", p.message)
}

// spawn starts a worker and answers with Started or Refused.
func (s *spawner) spawn(m spawnwire.Spawn, fds []int) error {
	if m.ID <= s.last {
		return fmt.Errorf("the supervisor asked for worker %d after worker %d", m.ID, s.last)
	}
	if len(fds) != 2 {
		return fmt.Errorf("the supervisor sent %d descriptors for worker %d, want 2", len(fds), m.ID)
	}
	s.last = m.ID
	w, err := s.start(m, fds[0], fds[1])
	if err != nil {
		return s.send(spawnwire.Refused{ID: m.ID, Reason: spawnwire.Clip(err.Error()), Shortage: spawnwire.IsShortage(err)})
	}
	s.workers[m.ID] = w
	return s.send(spawnwire.Started{ID: m.ID, PID: uint32(w.pid)})
}

// kill signals a worker that has not been reaped, so that its pid is certainly its own.
func (s *spawner) kill(m spawnwire.Kill, fds []int) error {
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

// signalProcess is kill(2). ESRCH is no error: the process has ended and will be reaped. EPERM is
// none either: a process that took other credentials must not be able to end the spawner; the next
// sweep tries again.
func signalProcess(pid int, sig syscall.Signal) error {
	err := syscall.Kill(pid, sig)
	if err != nil && err != syscall.ESRCH && err != syscall.EPERM {
		return fmt.Errorf("signal %v to %d: %w", sig, pid, err)
	}
	return nil
}
