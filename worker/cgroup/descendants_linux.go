package cgroup

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxRounds bounds how often the list of processes is read until all descendants are stopped. Each
// round misses the children that are born during it. Stopped processes keep their places under the
// account's limit, so fewer can be born each time.
const maxRounds = 100

// quietRounds is how many rounds in a row must find nothing new. A round takes time: it does not
// see a process that is born behind it, of a parent that ended before it came there.
const quietRounds = 2

// processID names a process. Its pid alone may be another process's by the time that it is used.
type processID struct {
	pid       int
	startTime string
}

// KillDescendants kills all descendants of the roots, for workers that have no group, and says how
// many there were. It does not kill the roots, nor the spared processes and what descends only from
// those. It stops all before it kills the first, so that none can fork into a place that another
// has left. Of processes that fork faster than they can be stopped it kills those that it has seen;
// the caller looks again.
func KillDescendants(roots, spared []int) (killed int, err error) {
	proc, err := os.Open("/proc")
	if err != nil {
		return 0, fmt.Errorf("end the processes below %d: %w", roots, err)
	}
	defer proc.Close()
	var stopped []processID
	known, quiet := map[processID]bool{}, 0
	for range maxRounds {
		fresh, err := stopDescendants(proc, roots, spared, known)
		if err != nil {
			return 0, fmt.Errorf("end the processes below %d: %w", roots, err)
		}
		if stopped = append(stopped, fresh...); len(fresh) > 0 {
			quiet = 0
		} else if quiet++; quiet == quietRounds {
			break
		}
	}
	// a stopped process may be woken when it loses its parent
	for _, p := range slices.Backward(stopped) {
		if p.signal(proc, unix.SIGKILL) {
			killed++
		}
	}
	return killed, nil
}

// stopDescendants stops all descendants that are not known yet, returns them and adds them to
// known.
func stopDescendants(proc *os.File, roots, spared []int, known map[processID]bool) (fresh []processID, err error) {
	if _, err := proc.Seek(0, 0); err != nil {
		return nil, err
	}
	all, err := listProcesses(proc)
	if err != nil {
		return nil, err
	}
	children := childrenOf(all)
	for _, root := range roots {
		for _, pid := range descendants(children, root, spared...)[1:] {
			p := processID{pid, all[pid].startTime}
			if !known[p] && !all[pid].dead && p.stop(proc) {
				fresh, known[p] = append(fresh, p), true
			}
		}
	}
	return fresh, nil
}

// stop stops the process and forbids it to have more children, should another of them wake it. It
// says whether the process was still there.
func (p processID) stop(proc *os.File) bool {
	if !p.signal(proc, unix.SIGSTOP) {
		return false
	}
	// There is only a call by pid. The process was stopped just now, so the pid is its own.
	// EPERM: another account's, which its own limit holds
	_ = unix.Prlimit(p.pid, unix.RLIMIT_NPROC, &unix.Rlimit{}, nil)
	return true
}

// signal signals the process, and says whether it was still there. It holds the process before it
// asks which one it is.
func (p processID) signal(proc *os.File, sig unix.Signal) bool {
	fd, err := openPidfd(p.pid)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	text, err := read(proc, strconv.Itoa(p.pid)+"/stat")
	if err != nil {
		return false
	}
	now, err := parseStat(text, 1)
	return err == nil && now.startTime == p.startTime && unix.PidfdSendSignal(fd, sig, nil, 0) == nil
}

// KillWithin kills a process if it is root or descends from it, and says whether it did. Since the
// caller saw it, it may have ended, and its pid may be another process's: so it is held before its
// ancestors are read.
func KillWithin(pid, root int) (killed bool, err error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false, nil // it has ended
	}
	defer unix.Close(fd)
	if !isDescendant(pid, root) {
		return false, nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && err != unix.ESRCH && err != unix.EPERM {
		return false, fmt.Errorf("kill process %d, which is too large: %w", pid, err)
	}
	return true, nil
}

// isDescendant says whether root is pid or an ancestor of it.
func isDescendant(pid, root int) bool {
	for range 1 << 16 { // a worker decides how deep its processes are nested
		if pid == root {
			return true
		}
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		p, err := parseStat(string(text), 1)
		if err != nil || p.parent == 0 {
			return false
		}
		pid = p.parent
	}
	return false
}
