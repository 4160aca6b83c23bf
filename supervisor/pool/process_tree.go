package pool

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// spawnerTree knows which children of this process are spawners. There is only one tree, because
// the whole process is a sub-reaper: it becomes the parent of a killed spawner's workers.
var spawnerTree = processTree{spawners: map[int]bool{}}

type processTree struct {
	mu       sync.Mutex   // guards spawners; held from a spawner's fork until it is in the map
	spawners map[int]bool // by process ID
}

// orphanRetry is the pause before killed processes are checked again.
const orphanRetry = 10 * time.Millisecond

// start makes this process the sub-reaper of its descendants, and starts a spawner.
func (t *processTree) start(cmd *exec.Cmd) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := becomeSubreaper(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	t.spawners[cmd.Process.Pid] = true
	return nil
}

// wait waits for a spawner that start has started.
func (t *processTree) wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.spawners, cmd.Process.Pid)
	return err
}

// killOrphans kills and reaps the orphans of dead spawners until none is left, at most for limit.
func (t *processTree) killOrphans(limit time.Duration) error {
	for began := time.Now(); ; {
		left, err := t.killOrphansOnce()
		if err != nil || left == 0 {
			return err
		}
		if time.Since(began) > limit {
			return fmt.Errorf("%d processes of dead workers do not end within %v of SIGKILL", left, limit)
		}
		waitFor(orphanRetry, nil)
	}
}

// killOrphansOnce kills each child that a dead spawner left, and reaps those that have ended. It
// returns how many it saw; 0 means that none is left. Every orphan descends from this process. All
// processes between are killed here, and stay visible until they are reaped here.
func (t *processTree) killOrphansOnce() (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	pids, err := t.orphans()
	for _, pid := range pids { // not reaped yet, so no other process has the pid
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			return len(pids), fmt.Errorf("kill process %d of a dead worker: %w", pid, err)
		}
		if _, err := syscall.Wait4(pid, nil, syscall.WNOHANG|waitAll, nil); err != nil && err != syscall.EINTR {
			return len(pids), fmt.Errorf("reap process %d of a dead worker: %w", pid, err)
		}
	}
	return len(pids), err
}

// orphans lists the children that dead spawners left. Their session identifies them. A spawner
// begins its own session, no process can enter an existing session, and all other children of this
// process stay in its session.
func (t *processTree) orphans() ([]int, error) {
	session, err := unix.Getsid(0)
	if err != nil {
		return nil, fmt.Errorf("ask for the session: %w", err)
	}
	all, err := listProcesses()
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, p := range all {
		if p.parent == os.Getpid() && p.session != session && !t.spawners[p.pid] {
			pids = append(pids, p.pid)
		}
	}
	return pids, nil
}
