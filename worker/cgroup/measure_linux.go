package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// ProcessTreeSize is the size of a process and all its descendants.
type ProcessTreeSize struct {
	Bytes     int64
	Processes int
	Tasks     int // number of threads, which the kernel counts against limits of processes
	// the pid with the most memory, except the root; 0 if there is only the root
	LargestPID   int
	LargestBytes int64 // memory of LargestPID in bytes
	// number of processes that were counted by resident size, with shared pages, because this
	// process may not read their share
	ResidentCount int
	Pools         PoolCounts // shares of the pools for all processes, if limits were given
	RootPools     PoolCounts // shares of the pools for the root alone
}

// MeterLimits tell what a Meter measures of a process and its descendants.
type MeterLimits struct {
	// most tasks; above this number only the tasks are counted, because the watchdog ends such a
	// worker anyway
	Tasks  int
	Memory bool       // whether memory is measured too
	Pools  PoolCounts // limits for the pools: counting ends if one is exceeded
	// limit of the memory in bytes; 0 means that the exact sizes are wanted
	MemoryLimit int64
}

// measureTree measures a process with its descendants. members lists them, the process itself
// first. Memory is the proportional share of each process: shared pages are divided among their
// users, and swapped pages count. Page tables, the most that sockets can hold, and the files in the
// root's own in-memory file systems count too.
//
// The shares are read only if the resident memory and these other parts together come near the
// limit, because reading the shares takes long. Otherwise the resident memory and the other parts
// are the size.
//
// The sizes are estimates, because the processes run meanwhile. Pages of a file in memory count
// twice if they are mapped. A process is missed if its parent has died and it has become a child of
// another process. An ending process can make a reader of /proc wait, so a caller with deadlines
// needs a separate goroutine.
func measureTree(proc *os.File, members []member, limits MeterLimits) (size ProcessTreeSize, err error) {
	for _, m := range members {
		size.Tasks += m.threads
	}
	if size.Tasks > limits.Tasks {
		return size, nil
	}
	held, err := newHeldCount(limits.Pools)
	if err != nil {
		return size, err
	}
	uses := make([]memoryUse, 0, len(members))
	for i, m := range members {
		before := held.socketCount
		held.add(proc, m.pid, m.process)
		if i == 0 {
			size.RootPools = held.PoolCounts
		}
		if limits.Memory {
			use := readMemoryUse(proc, m.pid, m.process)
			use.kernel += (held.socketCount - before) * socketBytes
			uses = append(uses, use)
		}
	}
	size.Pools = held.PoolCounts
	if limits.Memory {
		err = size.addMemory(proc, uses, limits.MemoryLimit)
	}
	return size, err
}

// addMemory adds the memory of processes, the root first.
func (s *ProcessTreeSize) addMemory(proc *os.File, uses []memoryUse, limit int64) error {
	files := tmpfsBytes(proc, uses[0].pid)
	most := files
	for _, u := range uses {
		most += u.resident + u.kernel
	}
	// the kernel's counts of resident pages may be some pages behind
	exact := most > limit-limit/4
	for i, u := range uses {
		bytes, readable := u.resident, true
		if exact {
			share, allowed, err := proportionalSize(proc, u.pid)
			if err != nil {
				return err
			}
			if readable = allowed; readable {
				bytes = share
			}
		}
		s.count(u.pid, bytes+u.kernel, readable, i == 0)
	}
	s.Bytes += files
	return nil
}

func (s *ProcessTreeSize) count(pid int, bytes int64, readable, root bool) {
	if !readable {
		s.ResidentCount++
	}
	s.Processes++
	s.Bytes += bytes
	if !root && (s.LargestPID == 0 || bytes > s.LargestBytes) {
		s.LargestPID, s.LargestBytes = pid, bytes
	}
}

// listProcesses reads the stat of every process. Processes that end meanwhile are left out.
func listProcesses(proc *os.File) (map[int]process, error) {
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", proc.Name(), err)
	}
	all := map[int]process{}
	for _, name := range names {
		pid, err := strconv.ParseUint(name, 10, 31)
		if err != nil {
			continue
		}
		text, err := read(proc, name+"/stat")
		if isGone(err) {
			continue
		} else if err != nil {
			return nil, err
		}
		p, err := parseStat(text, int64(os.Getpagesize()))
		if err != nil {
			return nil, fmt.Errorf("read %s/%s/stat: %w", proc.Name(), name, err)
		}
		all[int(pid)] = p
	}
	return all, nil
}

// childrenOf lists each process's children, lowest pid first.
func childrenOf(all map[int]process) map[int][]int {
	children := map[int][]int{}
	for _, pid := range slices.Sorted(maps.Keys(all)) {
		children[all[pid].parent] = append(children[all[pid].parent], pid)
	}
	return children
}

// descendants lists root and its descendants, a parent before its children. It leaves out the
// spared processes and everything below them. The list was not read at one moment, so it may
// contain a cycle: no process is listed twice.
func descendants(children map[int][]int, root int, spared ...int) []int {
	found, seen := []int{root}, map[int]bool{root: true}
	for _, pid := range spared {
		seen[pid] = true
	}
	for i := 0; i < len(found); i++ {
		for _, pid := range children[found[i]] {
			if !seen[pid] {
				found, seen[pid] = append(found, pid), true
			}
		}
	}
	return found
}

// proportionalSize returns a process's proportional share of memory. readable is false if we may
// not read it.
func proportionalSize(proc *os.File, pid int) (bytes int64, readable bool, err error) {
	text, err := read(proc, strconv.Itoa(pid)+"/smaps_rollup")
	switch {
	case isGone(err): // the process has no memory any longer
		return 0, true, nil
	case errors.Is(err, fs.ErrPermission):
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	if bytes, err = parseRollup(text); err != nil {
		err = fmt.Errorf("read %s/%d/smaps_rollup: %w", proc.Name(), pid, err)
	}
	return bytes, true, err
}

// isGone reports whether an error means that a process has ended, or is about to.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) }
