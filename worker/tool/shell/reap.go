package shell

import "syscall"

// Reap waits for the children of this process that have ended and that the shell does not wait for itself: orphans.
func (s *Shell) Reap() {
	for _, pid := range childrenOf("self") {
		if p, ok := readProcess(pid); ok && p.dead && !s.children.owns(pid) {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // an error means that it is gone
		}
	}
}
