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

// spawnerTree knows which children of this process are spawners. The whole process has only one
// tree, because it is a sub-reaper: the workers of a killed spawner become its children.
var spawnerTree = processTree{spawners: map[int]bool{}}

type processTree struct {
	mu       sync.Mutex   // guards spawners; held from a spawner's fork until spawners has its pid
	spawners map[int]bool // pids of running spawners
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

// wait waits for the end of a spawner that start has started.
func (t *processTree) wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.spawners, cmd.Process.Pid)
	return err
}

// killOrphans kills and reaps the processes that dead spawners left, until none remains. It takes
// at most limit.
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

// killOrphansOnce kills each child that a dead spawner left, and reaps the ended children. It
// returns the number of these children; 0 means that no orphan is left. Every orphan descends from
// this process. All processes in between are killed here, and stay visible until they are reaped
// here.
func (t *processTree) killOrphansOnce() (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	pids, err := t.orphans()
	for _, pid := range pids { // these processes are not reaped yet, so their pids are not reused
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			return len(pids), fmt.Errorf("kill process %d of a dead worker: %w", pid, err)
		}
		if _, err := syscall.Wait4(pid, nil, syscall.WNOHANG|waitAll, nil); err != nil && err != syscall.EINTR {
			return len(pids), fmt.Errorf("reap process %d of a dead worker: %w", pid, err)
		}
	}
	return len(pids), err
}

// orphans lists the children that dead spawners left. It recognises these children by their
// session. Each spawner begins a session, and no process can enter an existing session. All other
// children stay in this process's session.
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
