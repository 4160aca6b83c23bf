// Package program starts a worker's programs behind the walls that the worker gives them. When a
// program has ended, it also ends the processes that the program has left running, even in other
// sessions. For that, orphans must become children of this process, so it is pid 1 or a sub-reaper.
// No other part of the process may start children, because orphans that belong to no program are
// ended as well.
package program

import (
	"crypto/rand"
	"errors"
	"maps"
	"os/exec"
	"sync"
	"syscall"
)

// RunMarkVariable is the environment variable with the mark of a program. It identifies processes
// that have left the program's session. A program may remove it.
const RunMarkVariable = "MEWS_RUN"

// Children are the processes that this worker has started and not yet waited for. Each has its
// mark. Any goroutine may use Children.
type Children struct {
	start func(*exec.Cmd) error
	// FirstStart is called before a program starts, if no other program runs. It must not block.
	// nil means no call.
	FirstStart func()
	// KillAll kills all processes within this process's walls, except this process, at one moment.
	// nil, or an error, means that no wall confines signals; then each child is killed by itself.
	KillAll func() error
	// Survived is called if processes are left although they were killed. Only the end of this
	// process can end them. nil means no call.
	Survived func(error)

	mu   sync.Mutex // held during a start, so that pids is complete
	pids map[int]string
	open int // started programs whose leftover processes have not been ended
}

// NewChildren returns a Children that starts processes by the function start. start must call
// cmd.Start. Only one goroutine at a time calls start.
func NewChildren(start func(cmd *exec.Cmd) error) *Children {
	return &Children{pids: map[int]string{}, start: start}
}

var errTooManyProcesses = errors.New("as many programs run as there may be at once; close a terminal, or end what runs, and try again")

// Child is a started program with all its descendants.
type Child struct {
	*Children
	Cmd  *exec.Cmd
	PID  int // pid, session and process group of the program
	mark string
}

// Start starts a command in a new session. The caller must call Wait, and then KillLeftovers.
func (c *Children) Start(cmd *exec.Cmd) (*Child, error) { return c.startBy(cmd, nil) }

// startBy starts a command by the function start, in a new session. If start is nil, it uses the
// function of c.
func (c *Children) startBy(cmd *exec.Cmd, start func(cmd *exec.Cmd) error) (*Child, error) {
	if start == nil {
		start = c.start
	}
	mark := rand.Text()
	cmd.Env = append(cmd.Env, RunMarkVariable+"="+mark)
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	c.mu.Lock()
	defer c.mu.Unlock()
	// Go closes only descriptors that it has opened itself, but this process may have inherited
	// others by mistake.
	if err := closeOnExec(); err != nil {
		return nil, err
	}
	if len(c.pids) == 0 && c.FirstStart != nil {
		c.FirstStart()
	}
	if err := start(cmd); errors.Is(err, syscall.EAGAIN) {
		return nil, errTooManyProcesses
	} else if err != nil {
		return nil, err
	}
	c.pids[cmd.Process.Pid] = mark
	c.open++
	return &Child{Children: c, Cmd: cmd, PID: cmd.Process.Pid, mark: mark}, nil
}

// living returns the mark of each child that has not been waited for, by session.
func (c *Children) living() map[int]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.pids)
}

// Len returns the number of children that have not been waited for.
func (c *Children) Len() int { return len(c.living()) }

// Wait waits for the program itself to end. It may be called once.
func (c *Child) Wait() error {
	err := c.Cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pids, c.PID)
	return err
}

// Signal sends a signal to the program's process group. After Wait it does nothing, because another
// process may have got the same pid.
func (c *Child) Signal(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pids[c.PID] == c.mark {
		_ = syscall.Kill(-c.PID, sig) // the error ESRCH means that the program has just ended
	}
}
