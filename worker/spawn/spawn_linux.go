// Package spawn is mews-spawner: it starts workers, reports their ends, and leaves nothing of them alive. It is the
// parent of every worker and the sub-reaper of all that they start, so that what loses its parent comes to it, and is
// killed. It knows nothing of people and never reads what a worker says.
//
// Everything happens on one goroutine that holds one thread, because PDEATHSIG follows the thread that forked and not
// the process (go.dev/issue/27505). A second goroutine receives.
package spawn

import (
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

// Options say what a spawner may start.
type Options struct {
	Worker string        // absolute path of the worker's program
	Roots  []string      // the only folders that homes may lie in; none: any, where it can do no more than its supervisor
	Sweep  time.Duration // how often living workers' lost children are looked for; 0 is 2 s
}

const (
	sendTimeout = 10 * time.Second      // a supervisor that does not read is as good as gone
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
	s := &spawner{Options: o, conn: conn, workers: map[uint64]*worker{}}
	packets := make(chan packet)
	go receive(conn, packets)
	chld, deaf := notify()
	defer signal.Stop(chld)
	defer signal.Stop(deaf)

	err := s.serve(packets, chld)
	if closing := conn.Close(); err == nil {
		err = closing
	}
	for range packets { // until receive has ended
	}
	return errors.Join(err, s.end(chld))
}

// notify sets up the signals. What a terminal or a service manager sends to everybody at once is not for the spawner:
// the supervisor hears it too, and ends the workers in good order. (Caught and not ignored, because children inherit
// what is ignored.)
func notify() (chld, deaf chan os.Signal) {
	chld, deaf = make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(chld, syscall.SIGCHLD)
	signal.Notify(deaf, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	return chld, deaf
}

// packet is what one Receive gave.
type packet struct {
	message spawnwire.Message
	fds     []int
	err     error
}

// receive hands on packets until the first error, which it hands on too, and closes the channel.
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

// spawner is the state of Run. Only Run's goroutine touches it.
type spawner struct {
	Options
	conn    *spawnwire.Conn
	workers map[uint64]*worker // those whose end has not been reported
	last    uint64             // the newest worker's id
	ending  bool               // the supervisor is gone: every child must go
}

// worker is one that was started.
type worker struct {
	id     uint64
	pid    int // not ours any more once ended is set
	status syscall.WaitStatus
	ended  time.Time // when it was reaped; zero while it lives
}

// serve answers the supervisor until it is gone, which is no error.
func (s *spawner) serve(packets <-chan packet, chld <-chan os.Signal) error {
	if err := prepare(); err != nil {
		return err
	}
	tier, why := sandbox.Detect()
	ready := spawnwire.Ready{Version: spawnwire.Version, Tier: string(tier), Why: spawnwire.Clip(why)}
	if err := s.send(ready); err != nil {
		return err
	}
	for {
		var err error
		select {
		case p := <-packets:
			if errors.Is(p.err, io.EOF) {
				return nil
			}
			err = s.handle(p)
		case <-chld:
		case <-s.tick():
		}
		if err == nil {
			err = s.settle()
		}
		if err != nil {
			return err
		}
	}
}

// tick is when to look again without being told to: nobody is told that a process has lost its parent.
func (s *spawner) tick() <-chan time.Time {
	if len(s.workers) == 0 {
		return nil
	}
	for _, w := range s.workers {
		if !w.ended.IsZero() {
			return time.After(retryAfter)
		}
	}
	if s.Sweep > 0 {
		return time.After(s.Sweep)
	}
	return time.After(sweepEvery)
}

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
