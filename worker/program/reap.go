package program

import "syscall"

// Reap waits for the children of this process that have ended and that nobody here waits for:
// orphans.
func (c *Children) Reap() {
	for _, pid := range childrenOf("self") {
		if p, ok := readProcess(pid); ok && p.dead && !c.owns(pid) {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // an error means that it is gone
		}
	}
}

// Lives tells whether there is a process pid that has not ended.
func Lives(pid int) bool {
	p, ok := readProcess(pid)
	return ok && !p.dead
}

// Any says whether a process lives that this one has started, or that has come to it as an orphan.
func (c *Children) Any() bool {
	for _, pid := range childrenOf("self") {
		if p, ok := readProcess(pid); ok && !p.dead {
			return true
		}
	}
	return c.Len() > 0
}
