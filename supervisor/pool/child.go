package pool

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"mews/protocol/spawnwire"
)

// child is a worker as the spawner knows it: a number, a socket, and an end.
type child struct {
	id       uint64
	socket   *os.File      // ours, until a connection takes it over
	stderr   *os.File      // ours, the reading end
	started  chan struct{} // closed when the spawner has said which process it is
	exited   chan struct{}
	signal   func(syscall.Signal) // through the spawner, by number
	killHung func(cause error)    // ends the spawner, which hangs over this child
	onLimit  func(LimitHit)       // is told when a limit strikes; it must not block

	mu     sync.Mutex // of what follows
	status exitStatus
	ended  bool        // exited is closed
	answer *time.Timer // deposes the spawner; nil: nothing is asked
}

// exitStatus is what became of a child.
type exitStatus struct {
	pid    int                // 0 before it was started
	status syscall.WaitStatus // where err is nil
	err    error              // it was refused, the spawner is gone, or it was given up
}

// limitAnswer has the spawner deposed unless it says within limit what became of the child.
func (c *child) limitAnswer(limit time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = time.AfterFunc(limit, func() {
		c.killHung(fmt.Errorf("mews-spawner hangs: no answer to a start within %v", limit))
	})
}

// answered says that the spawner has answered, or never will.
func (c *child) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answer != nil {
		c.answer.Stop()
	}
}

func (c *child) setStarted(pid int) {
	c.answered()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status.pid == 0 {
		c.status.pid = pid
		close(c.started)
	}
}

// limitHit is the spawner's word that a limit has struck.
func (c *child) limitHit(m spawnwire.LimitHit) {
	if c.onLimit != nil {
		c.onLimit(LimitHit{Limit: m.Kind, Most: int64(m.Limit), Times: int(m.Times)})
	}
}

// awaitPID waits until it is known which process it is, or that it has ended.
func (c *child) awaitPID() {
	select {
	case <-c.started:
	case <-c.exited:
	}
}

// finish records the end. The first one stays.
func (c *child) finish(status syscall.WaitStatus, err error) {
	c.answered()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	c.ended, c.status.status, c.status.err = true, status, err
	close(c.exited)
}

func (c *child) pid() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status.pid
}

// end is what became of it, once exited is closed.
func (c *child) end() (syscall.WaitStatus, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status.status, c.status.err
}

// childEnds are the descriptors that go to a worker. They are closed here once they are sent.
type childEnds struct{ socket, stderr int }

func (t childEnds) close() { spawnwire.CloseAll([]int{t.socket, t.stderr}) }

// openChild makes a child's socketpair and pipe. Our ends do not block, theirs do, and all close on exec.
func openChild() (*child, childEnds, error) {
	pair, err := socketpair()
	if err != nil {
		return nil, childEnds{}, fmt.Errorf("make a socketpair: %w", err)
	}
	pipe := make([]int, 2)
	if err := makePipe(pipe); err != nil {
		spawnwire.CloseAll(pair[:])
		return nil, childEnds{}, fmt.Errorf("make a pipe: %w", err)
	}
	if err := errors.Join(syscall.SetNonblock(pair[0], true), syscall.SetNonblock(pipe[0], true)); err != nil {
		spawnwire.CloseAll(append(pipe, pair[:]...))
		return nil, childEnds{}, fmt.Errorf("make a socketpair: %w", err)
	}
	c := &child{
		socket:  os.NewFile(uintptr(pair[0]), "worker socket"),
		stderr:  os.NewFile(uintptr(pipe[0]), "worker stderr"),
		started: make(chan struct{}),
		exited:  make(chan struct{}),
	}
	return c, childEnds{socket: pair[1], stderr: pipe[1]}, nil
}

// close closes our ends, where no process came of them.
func (c *child) close() error { return errors.Join(c.socket.Close(), c.stderr.Close()) }
