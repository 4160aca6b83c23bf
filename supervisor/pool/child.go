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
	id     uint64
	socket *os.File      // ours, until a connection takes it over
	stderr *os.File      // ours, the reading end
	begun  chan struct{} // closed when the spawner has said which process it is
	exited chan struct{}
	signal func(syscall.Signal) // through the spawner, by number
	depose func(cause error)    // ends the spawner, which hangs over this child
	strike func(Strike)         // is told when a limit strikes; it must not block

	mu     sync.Mutex // of what follows
	fate   fate
	ended  bool        // exited is closed
	answer *time.Timer // deposes the spawner; nil: nothing is asked
}

// fate is what became of a child.
type fate struct {
	pid    int                // 0 before it was started
	status syscall.WaitStatus // where err is nil
	err    error              // it was refused, the spawner is gone, or it was given up
}

// expect has the spawner deposed unless it says within limit what became of the child.
func (c *child) expect(limit time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = time.AfterFunc(limit, func() {
		c.depose(fmt.Errorf("mews-spawner hangs: no answer to a start within %v", limit))
	})
}

// heard says that the spawner has answered, or never will.
func (c *child) heard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answer != nil {
		c.answer.Stop()
	}
}

func (c *child) started(pid int) {
	c.heard()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fate.pid == 0 {
		c.fate.pid = pid
		close(c.begun)
	}
}

// struck is the spawner's word that a limit has struck.
func (c *child) struck(m spawnwire.Struck) {
	if c.strike != nil {
		c.strike(Strike{Limit: m.Limit, Most: int64(m.Most), Times: int(m.Times)})
	}
}

// known waits until it is known which process it is, or that it has ended.
func (c *child) known() {
	select {
	case <-c.begun:
	case <-c.exited:
	}
}

// finish records the end. The first one stays.
func (c *child) finish(status syscall.WaitStatus, err error) {
	c.heard()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	c.ended, c.fate.status, c.fate.err = true, status, err
	close(c.exited)
}

func (c *child) pid() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fate.pid
}

// end is what became of it, once exited is closed.
func (c *child) end() (syscall.WaitStatus, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fate.status, c.fate.err
}

// theirs are the descriptors that go to a worker. They are closed here once they are sent.
type theirs struct{ socket, stderr int }

func (t theirs) close() { spawnwire.CloseAll([]int{t.socket, t.stderr}) }

// openEnds makes a child's socketpair and pipe. Our ends do not block, theirs do, and all close on exec.
func openEnds() (*child, theirs, error) {
	pair, err := socketpair()
	if err != nil {
		return nil, theirs{}, fmt.Errorf("make a socketpair: %w", err)
	}
	pipe := make([]int, 2)
	if err := makePipe(pipe); err != nil {
		spawnwire.CloseAll(pair[:])
		return nil, theirs{}, fmt.Errorf("make a pipe: %w", err)
	}
	if err := errors.Join(syscall.SetNonblock(pair[0], true), syscall.SetNonblock(pipe[0], true)); err != nil {
		spawnwire.CloseAll(append(pipe, pair[:]...))
		return nil, theirs{}, fmt.Errorf("make a socketpair: %w", err)
	}
	c := &child{
		socket: os.NewFile(uintptr(pair[0]), "worker socket"),
		stderr: os.NewFile(uintptr(pipe[0]), "worker stderr"),
		begun:  make(chan struct{}),
		exited: make(chan struct{}),
	}
	return c, theirs{socket: pair[1], stderr: pipe[1]}, nil
}

// close closes our ends, where no process came of them.
func (c *child) close() error { return errors.Join(c.socket.Close(), c.stderr.Close()) }
