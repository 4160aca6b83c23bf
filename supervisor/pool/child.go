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
	id      uint64
	spawner *spawnerProcess // which was asked for it
	socket  *os.File        // ours, until a connection takes it over
	stderr  *os.File        // ours, the reading end
	started chan struct{}   // closed when the spawner has said which process it is
	exited  chan struct{}
	// called when the worker hits a limit; it must not block, and may be nil
	onLimit func(spawnwire.LimitHit)

	mu     sync.Mutex         // guards the fields below
	number int                // of the process; 0 before it was started
	status syscall.WaitStatus // once exited is closed, where err is nil
	err    error              // it was refused, the spawner is gone, or it was given up
	ended  bool               // exited is closed
	answer *time.Timer        // kills the spawner; nil: nothing is asked
}

// limitAnswer kills the spawner unless it reports within limit what became of the child.
func (c *child) limitAnswer(limit time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = time.AfterFunc(limit, func() {
		c.spawner.killHung(c, fmt.Errorf("mews-spawner hangs: no answer to a start within %v", limit))
	})
}

// answered records that the spawner has answered, or never will.
func (c *child) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answer != nil {
		c.answer.Stop()
	}
}

// setStarted records the process's number. The first one stays.
func (c *child) setStarted(pid int) {
	c.answered()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.number == 0 {
		c.number = pid
		close(c.started)
	}
}

// awaitPID waits until the process's ID is known, or the process has ended.
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
	c.ended, c.status, c.err = true, status, err
	close(c.exited)
}

func (c *child) pid() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.number
}

// openChild makes a child's socketpair and pipe. It returns the worker's ends of both for the
// spawner; the caller closes them. Our ends do not block, theirs do, and all close on exec.
func openChild() (c *child, theirs []*os.File, err error) {
	syscall.ForkLock.RLock() // nothing is forked before they close on exec
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(pair[0])
		syscall.CloseOnExec(pair[1])
	}
	syscall.ForkLock.RUnlock()
	if err == nil {
		err = syscall.SetNonblock(pair[0], true)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("make a socketpair: %w", err)
	}
	ours, their := os.NewFile(uintptr(pair[0]), "worker socket"), os.NewFile(uintptr(pair[1]), "worker's end")
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("make a pipe: %w", err), ours.Close(), their.Close())
	}
	return &child{socket: ours, stderr: read, started: make(chan struct{}), exited: make(chan struct{})}, []*os.File{their, write}, nil
}

// close closes our ends if no process was started.
func (c *child) close() error { return errors.Join(c.socket.Close(), c.stderr.Close()) }
