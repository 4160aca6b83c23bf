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

// spawnerTree knows which of this process's children are spawners. There is only one, because the
// whole process is a sub-reaper: a process whose spawner was killed becomes its child.
var spawnerTree = processTree{spawners: map[int]bool{}}

type processTree struct {
	mu       sync.Mutex   // of spawners; also held from a spawner's fork to its entry
	spawners map[int]bool // by pid
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

// killOrphansOnce kills each child that a dead spawner left, reaps those that have ended, and
// returns how many it saw. If it saw none, none is left. For each orphan descends from this
// process, and every process between them is killed here and stays visible until it is reaped here.
func (t *processTree) killOrphansOnce() (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	pids, err := t.orphans()
	for _, pid := range pids { // not reaped yet, so the pid is still its own
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
