package shell

import "syscall"

// Reap takes the children of this process that have ended and that the shell does not wait for: orphans that have come to
// it. No other part of this process may wait for children of its own.
func (s *Shell) Reap() {
	for _, pid := range childrenOf("self") {
		if p, ok := lookAt(pid); ok && p.dead && !s.Owns(pid) {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // whoever else has taken it: it is gone
		}
	}
}
