package program

import "syscall"

// ReapOrphans waits for orphans that have ended. Orphans are children of this process that no other
// code waits for.
func (c *Children) ReapOrphans() {
	for _, pid := range childrenOf("self") {
		if p, ok := readProcess(pid); ok && p.dead && !c.owns(pid) {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // an error means that the process is gone
		}
	}
}

// IsProcessAlive reports whether a process pid exists and has not ended.
func IsProcessAlive(pid int) bool {
	p, ok := readProcess(pid)
	return ok && !p.dead
}

// HasLiveProcess reports whether a child or an orphan of this process is alive.
func (c *Children) HasLiveProcess() bool {
	for _, pid := range childrenOf("self") {
		if p, ok := readProcess(pid); ok && !p.dead {
			return true
		}
	}
	return c.Len() > 0
}
