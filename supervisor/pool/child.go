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

// child is a worker process as the spawner knows it: by its number, its socket and its end.
type child struct {
	id      uint64
	spawner *spawnerProcess // the spawner that starts the worker
	socket  *os.File        // our end of the worker's socket, until a connection takes it over
	stderr  *os.File        // our end of the pipe from the worker's standard error
	started chan struct{}   // closed when the spawner has reported the process ID
	exited  chan struct{}
	// onLimit is called when the worker hits a limit. It must not block; nil means no call.
	onLimit func(spawnwire.LimitHitMessage)
	// programsEnded gets the answers to requests to end the programs; true means that programs ran.
	programsEnded chan bool

	mu     sync.Mutex         // guards the fields below
	number int                // the process ID; 0 before the start
	fault  string             // why it has no file history
	status syscall.WaitStatus // the exit status, if exited is closed and err is nil
	err    error              // why status is unknown: start refused, spawner gone, or child given up
	ended  bool               // whether exited is closed
	answer *time.Timer        // kills the spawner if an answer takes too long; nil means no pending request
}

// limitAnswer kills the spawner unless it answers the request for the child within limit.
func (c *child) limitAnswer(limit time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = time.AfterFunc(limit, func() {
		c.spawner.killHung(c, fmt.Errorf("mews-spawner hangs: no answer to a start within %v", limit))
	})
}

// answered records that the spawner has answered the request, or never will.
func (c *child) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answer != nil {
		c.answer.Stop()
	}
}

// setStarted records the process ID, and why the child has no file history. A second call changes
// nothing.
func (c *child) setStarted(pid int, historyFault string) {
	c.answered()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.number == 0 {
		c.number, c.fault = pid, historyFault
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

// finish records how the child ended. A second call changes nothing.
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

// historyFault returns why the child has no file history, as the spawner answered.
func (c *child) historyFault() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault
}

func (c *child) pid() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.number
}

// openChild makes a child's socketpair and pipe. It returns the worker's ends, which the spawner
// passes on and the caller closes. Only our ends are non-blocking. All ends close on exec.
func openChild() (c *child, theirs []*os.File, err error) {
	syscall.ForkLock.RLock() // prevents a fork before all four files close on exec
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
	return &child{socket: ours, stderr: read, started: make(chan struct{}), exited: make(chan struct{}),
		programsEnded: make(chan bool, 1)}, []*os.File{their, write}, nil
}

// close closes our ends. Call it if no process was started.
func (c *child) close() error { return errors.Join(c.socket.Close(), c.stderr.Close()) }
