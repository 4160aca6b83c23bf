package shell

import "syscall"

// Reap takes the children of this process that have ended and that the shell does not wait for: orphans.
func (s *Shell) Reap() {
	for _, pid := range childrenOf("self") {
		if p, ok := readProcess(pid); ok && p.dead && !s.environment.children.owns(pid) {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // whoever else has taken it: it is gone
		}
	}
}
