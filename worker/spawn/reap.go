//go:build linux || darwin

package spawn

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"mews/protocol/spawnwire"
)

// reconcile updates the state after changes of processes. It reaps, kills processes that belong to
// no living worker, and reports workers without processes.
func (s *spawner) reconcile() error {
	if _, err := s.reap(); err != nil {
		return err
	}
	orphans, err := s.killOrphans()
	if err != nil {
		return err
	}
	return s.reportExits(orphans)
}

// reap waits for every ended child, and reports whether there are no children left.
func (s *spawner) reap() (none bool, err error) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, waitOptions, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.ECHILD:
			return true, nil
		case err != nil:
			return false, fmt.Errorf("wait for children: %w", err)
		case pid == 0:
			return false, nil
		}
		if pid == s.supervisor {
			s.status, s.supervisor = status, 0
		}
		if w := s.liveWorker(pid); w != nil {
			w.status, w.ended = status, time.Now()
		}
	}
}

// liveWorker returns the living worker with this pid; nil if there is no such worker.
func (s *spawner) liveWorker(pid int) *worker {
	for _, w := range s.workers {
		if w.pid == pid && w.ended.IsZero() {
			return w
		}
	}
	return nil
}

// reportExits sends an ExitedMessage for every ended worker, once no orphan is left. It cannot tell
// which worker an orphan comes from. So an orphan that does not die delays all reports, for
// lingerLimit at most.
func (s *spawner) reportExits(orphans int) error {
	for id, w := range s.workers {
		if w.ended.IsZero() || orphans > 0 && time.Since(w.ended) < lingerLimit {
			continue
		}
		delete(s.workers, id)
		err := s.reportNewHits(w) // the last report, because a limit may have ended the worker
		w.removeGroup()
		if err == nil {
			err = s.send(spawnwire.ExitedMessage{ID: id, PID: uint32(w.pid), Status: uint32(w.status)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// endAll kills all children and their children until no process is left. A supervisor that this
// process has started ends by itself.
func (s *spawner) endAll(chld, told <-chan os.Signal) error {
	s.shuttingDown = true
	for {
		none, err := s.reap()
		if none || err != nil {
			return err
		}
		if _, err := s.killOrphans(); err != nil {
			return err
		}
		select {
		case <-chld:
		case sig := <-told:
			s.forwardSignal(sig)
		case <-time.After(retryAfter):
		}
	}
}
