package cgroup

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxRounds bounds how often families are looked at until all of them is stopped. Each look leaves what was born in it, and
// the places that a limit of the account leaves for that become fewer with each: the stopped ones hold theirs.
const maxRounds = 100

// quietRounds is how often in a row nothing new must be found. A look takes its time: a process that was born behind it, of
// one that ended before it came there, is not seen.
const quietRounds = 2

// processID is a process of a family. Its number alone may be somebody else's by the time that it is used.
type processID struct {
	pid       int
	startTime string
}

// KillDescendants kills all that descends from the roots, and says how many processes those were: for where no group holds them.
// The roots are not killed, nor the spared ones and what only descends from them. All are stopped before the first one is
// killed, so that none can fork into a place that another has left. What forks faster than it can be stopped is killed as far
// as it was seen; the caller looks again.
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
	for _, m := range slices.Backward(stopped) { // whoever loses a parent while stopped may be woken
		if m.signal(proc, unix.SIGKILL) {
			killed++
		}
	}
	return killed, nil
}

// stopDescendants stops all below the roots that is not known yet, and says what that was, which is known from then on.
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
			m := processID{pid, all[pid].startTime}
			if !known[m] && !all[pid].dead && m.stop(proc) {
				fresh, known[m] = append(fresh, m), true
			}
		}
	}
	return fresh, nil
}

// stop stops the process for good: should another of its family wake it, it can have no more children. It says whether the
// process was still there.
func (m processID) stop(proc *os.File) bool {
	if !m.signal(proc, unix.SIGSTOP) {
		return false
	}
	// By number, since there is no other way. It was stopped just now, so the number is its own.
	_ = unix.Prlimit(m.pid, unix.RLIMIT_NPROC, &unix.Rlimit{}, nil) // EPERM: another account's, which its own limit holds
	return true
}

// signal signals the process, and says whether it was still there. It is held first, and then asked who it is.
func (m processID) signal(proc *os.File, sig unix.Signal) bool {
	fd, err := openPidfd(m.pid)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	text, err := read(proc, strconv.Itoa(m.pid)+"/stat")
	if err != nil {
		return false
	}
	now, err := parseStat(text, 1)
	return err == nil && now.startTime == m.startTime && unix.PidfdSendSignal(fd, sig, nil, 0) == nil
}

// KillWithin kills a process if it is root or descends from it, and says whether it did. Since the caller saw it, it may have
// ended, and its pid may be another process's: it is held first, and then its ancestors are read.
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
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return false
		}
		p, err := parseStat(string(text), 1)
		if err != nil || p.parent == 0 {
			return false
		}
		pid = p.parent
	}
	return false
}
