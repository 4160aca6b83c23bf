package program

import (
	"errors"
	"syscall"
	"time"
)

// killPause is the time between two attempts to end all processes. A process may fork and end every
// 0.1 ms.
const killPause = 50 * time.Microsecond

var errSurvivors = errors.New("processes of a program are left although they were killed")

// isOnlyOne reports whether no other program is running or has leftover processes.
func (c *Child) isOnlyOne() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open == 1
}

// finish ends the life of a program whose leftover processes were ended. The last program ends all
// processes below this one, also those that hide in the list of processes by forking and ending
// without pause. No program starts meanwhile. finish adds the killed processes to killed.
func (c *Child) finish(killed map[int]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open--; c.open > 0 {
		return
	}
	if err := c.endAll(killed); err != nil && c.Survived != nil {
		c.Survived(err)
	}
}

// endAll kills and reaps until this process has no child. Then it has no descendant either, because
// orphans become its children. The caller holds mu, and no started program is left.
func (c *Children) endAll(killed map[int]bool) error {
	for end := time.Now().Add(KillTimeout); reapAll(killed); time.Sleep(killPause) {
		if time.Now().After(end) {
			return errSurvivors
		}
		if c.KillAll == nil || c.KillAll() != nil {
			killChildren()
		}
	}
	return nil
}

// reapAll waits for all ended children, and adds the killed ones to killed. left means that other
// children are left.
func reapAll(killed map[int]bool) (left bool) {
	for {
		var status syscall.WaitStatus
		switch pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil); {
		case err == syscall.EINTR:
		case err != nil || pid == 0:
			return err == nil
		case status.Signal() == syscall.SIGKILL:
			killed[pid] = true
		}
	}
}

// killChildren kills each child with its process group, which a signal reaches at one moment. All
// children are orphans, so their groups have no other members.
func killChildren() {
	own := syscall.Getpgrp()
	for _, pid := range childrenOf("self") {
		// a child that was not reaped keeps its pid
		if group, err := syscall.Getpgid(pid); err == nil && group != own {
			_ = syscall.Kill(-group, syscall.SIGKILL) // the error ESRCH means that the group has just ended
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
