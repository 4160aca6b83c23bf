package cgroup

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxRounds bounds how often the list of processes is read until all descendants are stopped. Each
// round misses children that are born during the round. Stopped processes still count toward the
// account's limit, so each round finds fewer new children.
const maxRounds = 100

// quietRounds is how many rounds in a row must find no new process. One quiet round does not
// suffice: it misses a child with a low pid if the child's parent ends before the round reaches the
// parent.
const quietRounds = 2

// processID identifies a process. Its pid alone may belong to another process later.
type processID struct {
	pid       int
	startTime string
}

// KillDescendants kills all descendants of the roots and returns their number. It is for workers
// without a group. It spares the roots, the spared processes, and processes that descend only from
// spared processes. It stops all processes before it kills the first, so that no process can fork
// in place of a killed process. If processes fork faster than KillDescendants can stop them, it
// kills all that it has seen, and the caller calls again.
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

// stopDescendants stops all unknown descendants, returns them and adds them to known.
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

// stop stops the process and forbids it to have children, in case another process wakes it. It
// reports whether the process still existed.
func (p processID) stop(proc *os.File) bool {
	if !p.signal(proc, unix.SIGSTOP) {
		return false
	}
	// The limit can only be set by pid. The process was stopped just now, so no other process has
	// its pid. EPERM means a process of another account, whose own limit bounds it.
	_ = unix.Prlimit(p.pid, unix.RLIMIT_NPROC, &unix.Rlimit{}, nil)
	return true
}

// signal signals the process, and reports whether it still existed. It opens the process before it
// checks the process's identity.
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

// KillDescendant kills a process that is root or descends from root. killed reports whether it did.
// The process may have ended since the caller saw it, and its pid may belong to another process. So
// KillDescendant opens the process before it reads the ancestors.
func KillDescendant(pid, root int) (killed bool, err error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false, nil // the process with that pid has ended
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

// isDescendant reports whether root is pid or an ancestor of it.
func isDescendant(pid, root int) bool {
	for range 1 << 16 { // bounded, because a worker decides how deep its processes are nested
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
