package shell

import (
	"crypto/rand"
	"errors"
	"os/exec"
	"sync"
	"syscall"
)

// markName is the variable that shows whose a process is that has left its session. A program may take it away.
const markName = "MEWS_RUN"

// children are the processes that this shell has started and not yet waited for, each with its mark.
type children struct {
	start func(*exec.Cmd) error

	mu   sync.Mutex // held over a start, so that no child is there that pids does not hold
	pids map[int]string
}

var errTooManyProcesses = errors.New("as many programs run as there may be at once; close a terminal, or end what runs, and try again")

// child is a program that was started, with all that comes of it.
type child struct {
	*children
	cmd  *exec.Cmd
	pid  int // and its session's, and its group's
	mark string
}

// begin starts a command in a session of its own. Whoever calls it must call wait.
func (c *children) begin(cmd *exec.Cmd) (*child, error) {
	mark := rand.Text()
	cmd.Env = append(cmd.Env, markName+"="+mark)
	c.mu.Lock()
	defer c.mu.Unlock()
	// What this process was given by mistake must not reach a program: Go closes only what it opened itself.
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

// owns tells whether somebody waits for the child pid, so that nobody else must. It waits while a child is being started: of
// a pid that was among this process's children before the call, the answer is right.
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
	marks := make(map[int]string, len(c.pids))
	for pid, mark := range c.pids {
		marks[pid] = mark
	}
	return marks
}

// wait waits for the program's own end. It may be called once.
func (c *child) wait() error {
	err := c.cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pids, c.pid)
	return err
}

// signal sends to all that are in the program's group. After wait it does nothing: the number may be somebody else's then.
func (c *child) signal(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pids[c.pid] == c.mark {
		_ = syscall.Kill(-c.pid, sig) // ESRCH: it has just ended
	}
}
