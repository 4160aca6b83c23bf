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
	"time"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
)

// prepare makes this process what a spawner must be, before it has started anything.
func prepare() error {
	// What the supervisor left open by mistake must not reach a worker: Go closes only what it opened itself.
	if err := unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close descriptors on exec: close_range: %w (it needs Linux 5.11)", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the sub-reaper: prctl: %w", err)
	}
	// For this thread and all that it forks: no set-uid program (su, sudo) gives a worker rights, or makes it one that
	// cannot be killed.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up set-uid programs: prctl: %w", err)
	}
	// What a worker runs beyond its limits is held before it is killed: without that it would be left alone in silence.
	if err := tryPidfds(); err != nil {
		return fmt.Errorf("hold a process: %w (it needs Linux 5.3, and in a container a seccomp profile that allows this call)", err)
	}
	if _, err := childPIDs(); err != nil {
		return fmt.Errorf("%w (a mounted /proc and a kernel with CONFIG_PROC_CHILDREN are needed)", err)
	}
	return nil
}

// tryPidfds tries on this process what others are killed by.
func tryPidfds() error {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return fmt.Errorf("pidfd_open: %w", err)
	}
	defer unix.Close(fd)
	if err := unix.PidfdSendSignal(fd, 0, nil, 0); err != nil {
		return fmt.Errorf("pidfd_send_signal: %w", err)
	}
	return nil
}

// reconcile brings the state in line with what has happened to the processes: it reaps, kills what belongs to no living
// worker, and reports the workers of which nothing is left.
func (s *spawner) reconcile() error {
	if _, err := s.reap(); err != nil {
		return err
	}
	strays, err := s.killOrphans()
	if err != nil {
		return err
	}
	return s.reportExits(strays)
}

// reap takes every child that has ended, and says whether there are none left at all.
func (s *spawner) reap() (none bool, err error) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG|unix.WALL, nil)
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

// fewOrphans are killed one by one. More may be what is left of a program that makes processes without end, and would fork into
// each place that a killed one leaves.
const fewOrphans = 8

// killOrphans kills every child that is not spared, and says how many there were: daemons that lost their parent, and all that
// a dead worker left. Their own children come here when they die, which SIGCHLD tells.
func (s *spawner) killOrphans() (int, error) {
	pids, err := childPIDs()
	if err != nil {
		return 0, err
	}
	spared := s.survivors()
	strays := slices.DeleteFunc(pids, func(pid int) bool { return slices.Contains(spared, pid) })
	if len(strays) > fewOrphans {
		if _, err := s.killDescendants(os.Getpid()); err != nil {
			return len(strays), err
		}
	}
	for _, pid := range strays {
		if err := signalProcess(pid, syscall.SIGKILL); err != nil { // not reaped yet, so the pid is still its own
			return len(strays), err
		}
	}
	return len(strays), nil
}

// reportExits sends Exited for every worker that has ended, once no stray is left. Whose a stray is cannot be told, so that
// one which will not die holds everybody's report up; for lingerLimit at most.
func (s *spawner) reportExits(strays int) error {
	for id, w := range s.workers {
		if w.ended.IsZero() || (strays > 0 && time.Since(w.ended) < lingerLimit) {
			continue
		}
		delete(s.workers, id)
		err := s.reportNewHits(w) // for the last time: it may be what ended it
		w.removeGroup()
		if err != nil {
			return err
		}
		err = s.send(spawnwire.Exited{ID: id, PID: uint32(w.pid), Status: uint32(w.status)})
		if err != nil {
			return err
		}
	}
	return nil
}

// endAll kills every child, and theirs, until none is left. A supervisor that this process has started ends by itself.
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
			s.forward(sig)
		case <-time.After(retryAfter):
		}
	}
}

// childPIDs lists the pids of this process's children, the adopted ones too. Nothing leaves the kernel's list while it
// is read, because a child leaves it by being reaped and reaping is done by the caller's goroutine alone: so none is
// missed.
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
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) { // a thread that has ended
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
