package spawn

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"syscall"

	"mews/worker/cgroup"
	"mews/worker/sandbox"
)

// fewOrphans are killed one by one. More orphans may belong to a program that forks without end: a
// new process would replace each killed process.
const fewOrphans = 8

// killOrphans kills every child that is no survivor, and returns the number of killed children.
// These children are daemons without a parent, and processes of a dead worker. Their own children
// become this process's children when they die, which SIGCHLD reports.
func (s *spawner) killOrphans() (int, error) {
	pids, err := childPIDs()
	if err != nil {
		return 0, err
	}
	survivors := s.survivors()
	orphans := slices.DeleteFunc(pids, func(pid int) bool { return slices.Contains(survivors, pid) })
	if len(orphans) > fewOrphans {
		if _, err := s.killDescendants(os.Getpid()); err != nil {
			return len(orphans), err
		}
	}
	for _, pid := range orphans {
		// the child has not been reaped, so no other process has its pid
		if err := signalProcess(pid, syscall.SIGKILL); err != nil {
			return len(orphans), err
		}
	}
	return len(orphans), nil
}

// survivors returns the children that must not be killed: the supervisor, and the workers until the
// shutdown.
func (s *spawner) survivors() (pids []int) {
	if s.supervisor != 0 {
		pids = append(pids, s.supervisor)
	}
	for _, w := range s.workers {
		if w.ended.IsZero() && !s.shuttingDown {
			pids = append(pids, w.pid)
		}
	}
	return pids
}

// checkNewPID refuses the pid of a known child. A process of the user's account may have reported
// the pid of a new child. It must not redirect signals to another user's worker.
func (s *spawner) checkNewPID(pid int) error {
	if pid == s.supervisor || s.liveWorker(pid) != nil {
		return fmt.Errorf("it says that it is process %d, which is another one", pid)
	}
	return nil
}

// killDescendants kills all descendants of the roots that do not descend from a survivor, and
// returns their number.
//
// A program that forks without end has many processes, and each gets as much processor time as this
// process. Such a program may fork faster than this process can stop its processes one by one. So
// if an account is used only by workers, all its processes are stopped at one moment, and continued
// when all are killed. Processes of other accounts are stopped by cgroup.KillDescendants. The
// account of this process is never stopped, because the supervisor has the same account.
func (s *spawner) killDescendants(roots ...int) (killed int, err error) {
	if s.privilege != sandbox.PrivilegeNone && !s.tier.AtLeast(sandbox.TierNamespaces) && s.Account.UID != 0 && s.Account != s.own {
		signal := func(sig syscall.Signal) { _ = sandbox.SignalAccount(int(s.Account.UID), int(s.Account.GID), sig) }
		signal(syscall.SIGSTOP)
		defer signal(syscall.SIGCONT)
	}
	return cgroup.KillDescendants(roots, s.survivors())
}

// childPIDs lists the pids of this process's children, including adopted children. A child leaves
// the kernel's list only by being reaped, and only the caller's goroutine reaps. So childPIDs
// misses no child.
func childPIDs() ([]int, error) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, fmt.Errorf("list children: %w", err)
	}
	var pids []int
	lists := 0
	for _, thread := range threads {
		list := "/proc/self/task/" + thread.Name() + "/children"
		text, err := os.ReadFile(list)
		// skips a thread that has ended
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list children: %w", err)
		}
		lists++
		for _, field := range bytes.Fields(text) {
			pid, err := strconv.Atoi(string(field))
			if err != nil {
				return nil, fmt.Errorf("list children: %s: %w", list, err)
			}
			pids = append(pids, pid)
		}
	}
	if lists == 0 {
		return nil, errors.New("list children: /proc/self/task/*/children is not there")
	}
	return pids, nil
}
