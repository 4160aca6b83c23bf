package cgroup

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// stopRounds bounds how often a family is looked at until all of it is stopped. Each look leaves what was born in it.
const stopRounds = 20

// member is a process of a family. Its number alone may be somebody else's by the time that it is used.
type member struct {
	pid   int
	began string
}

// KillBelow kills all that descends from root and not root itself, and says how many processes those were: for where no
// group holds them. All are stopped before the first one is killed, so that none can fork into a place that another has
// left. What forks faster than it can be stopped is killed as far as it was seen; the caller looks again.
func KillBelow(root int) (killed int, err error) {
	proc, err := os.Open("/proc")
	if err != nil {
		return 0, fmt.Errorf("end the processes below %d: %w", root, err)
	}
	defer proc.Close()
	var stopped []member
	for range stopRounds {
		fresh, err := stopBelow(proc, root, stopped)
		if err != nil {
			return 0, fmt.Errorf("end the processes below %d: %w", root, err)
		}
		if len(fresh) == 0 {
			break
		}
		stopped = append(stopped, fresh...)
	}
	for _, m := range slices.Backward(stopped) { // whoever loses a parent while stopped may be woken
		if m.signal(proc, unix.SIGKILL) {
			killed++
		}
	}
	return killed, nil
}

// stopBelow stops all below root that is not stopped yet, and says what that was.
func stopBelow(proc *os.File, root int, stopped []member) (fresh []member, err error) {
	if _, err := proc.Seek(0, 0); err != nil {
		return nil, err
	}
	all, err := listProcesses(proc)
	if err != nil {
		return nil, err
	}
	known := map[member]bool{}
	for _, m := range stopped {
		known[m] = true
	}
	for _, pid := range family(childrenOf(all), root)[1:] {
		m := member{pid, all[pid].began}
		if !known[m] && !all[pid].dead && m.signal(proc, unix.SIGSTOP) {
			fresh = append(fresh, m)
		}
	}
	return fresh, nil
}

// signal signals the process, and says whether it was still there. It is held first, and then asked who it is.
func (m member) signal(proc *os.File, sig unix.Signal) bool {
	fd, err := holdProcess(m.pid)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	text, err := read(proc, strconv.Itoa(m.pid)+"/stat")
	if err != nil {
		return false
	}
	now, err := parseStat(text, 1)
	return err == nil && now.began == m.began && unix.PidfdSendSignal(fd, sig, nil, 0) == nil
}
