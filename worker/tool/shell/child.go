package shell

import (
	"crypto/rand"
	"errors"
	"maps"
	"os/exec"
	"sync"
	"syscall"
)

// markVariable is the variable by which a process that has left its session is recognised. A program may remove it.
const markVariable = "MEWS_RUN"

// children are the processes that this shell has started and not yet waited for, each with its mark.
type children struct {
	start func(*exec.Cmd) error

	mu   sync.Mutex // held during a start, so that pids has every child that there is
	pids map[int]string
}

var errTooManyProcesses = errors.New("as many programs run as there may be at once; close a terminal, or end what runs, and try again")

// child is a program that was started, with all its descendants.
type child struct {
	*children
	cmd  *exec.Cmd
	pid  int // and its session's, and its group's
	mark string
}

// startChild starts a command in a session of its own. The caller must call wait.
func (c *children) startChild(cmd *exec.Cmd) (*child, error) {
	mark := rand.Text()
	cmd.Env = append(cmd.Env, markVariable+"="+mark)
	c.mu.Lock()
	defer c.mu.Unlock()
	// Go closes only what it opened itself, and this process may have been given other descriptors by mistake.
	if err := closeOnExec(); err != nil {
		return nil, err
	}
	if err := c.start(cmd); errors.Is(err, syscall.EAGAIN) {
		return nil, errTooManyProcesses
	} else if err != nil {
		return nil, err
	}
	c.pids[cmd.Process.Pid] = mark
	return &child{children: c, cmd: cmd, pid: cmd.Process.Pid, mark: mark}, nil
}

// owns tells whether the child pid is one of begin's, whose wait nobody else may take. It waits while a child is being
// started, so the answer is right for a pid that was among this process's children before the call.
func (c *children) owns(pid int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, own := c.pids[pid]
	return own
}

// living are the marks of the children that have not been waited for, by session.
func (c *children) living() map[int]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.pids)
}

// wait waits for the program itself to end. It may be called once.
func (c *child) wait() error {
	err := c.cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pids, c.pid)
	return err
}

// signal sends a signal to the program's process group. After wait it does nothing: another process may have the number.
func (c *child) signal(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pids[c.pid] == c.mark {
		_ = syscall.Kill(-c.pid, sig) // ESRCH: it has just ended
	}
}
