package program

import "syscall"

// ReapOrphans waits for orphans that have ended. Orphans are children of this process that no other
// code waits for.
func (c *Children) ReapOrphans() {
	for _, pid := range childrenOf("self") {
		if p, ok := readProcess(pid); ok && p.dead {
			c.reapOrphan(pid)
		}
	}
}

// reapOrphan waits for an ended child, unless Start has started it. Only Child.Wait may wait for
// such a child.
func (c *Children) reapOrphan(pid int) {
	// While a program is being started, its child is not yet in pids.
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, own := c.pids[pid]; !own {
		_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // an error means that the process is gone
	}
}

// IsProcessAlive reports whether a process pid exists and has not ended.
func IsProcessAlive(pid int) bool {
	p, ok := readProcess(pid)
	return ok && !p.dead
}

// HasProcess reports whether this process has a child or an orphan, even an ended one. An ended
// orphan may have left a living child, which no list of processes shows for certain.
func (c *Children) HasProcess() bool { return c.Len() > 0 || hasChild() }
