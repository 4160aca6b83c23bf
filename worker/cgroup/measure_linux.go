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

// TreeSize is the memory of a process and all that descends from it.
type TreeSize struct {
	Bytes        int64
	Processes    int
	Tasks        int   // their threads, which is what the kernel counts against limits of processes
	Largest      int   // the pid with the most memory, the root left out; 0 if there is but the root
	LargestBytes int64 // its memory
	Resident     int   // how many were counted by resident size, shared pages and all: the rest is not for us to read
}

// MeasureAll sums for each process of roots the memory of it and all that descends from it, by the fair share of each (what is
// shared is divided among those who share it; what was swapped out is counted), with one look at the list of processes, which is
// what takes the time. proc is "/proc". Those that are not there are left out. Of one that has more tasks than the number it comes
// with only these are counted: whoever has too many must be ended before its memory could be read. What a process has put into
// tmpfs without mapping it is not counted, nor are processes whose parent has died and that went to somebody outside.
//
// The processes run on while they are counted, so this is an estimate. A process that is just being torn down can make a
// reader of /proc wait for it: whoever has deadlines to keep calls this from a goroutine of its own.
func MeasureAll(proc string, roots map[int]int) (map[int]TreeSize, error) {
	dir, err := os.Open(proc)
	if err != nil {
		return nil, fmt.Errorf("measure processes: %w", err)
	}
	defer dir.Close()
	all, err := listProcesses(dir)
	if err != nil {
		return nil, fmt.Errorf("measure processes: %w", err)
	}
	children := childrenOf(all)
	sums := map[int]TreeSize{}
	for root, most := range roots {
		if _, ok := all[root]; !ok {
			continue
		}
		members := descendants(children, root)
		sum := TreeSize{Tasks: tasksOf(all, members)}
		if sum.Tasks > most {
			members = nil
		}
		for _, pid := range members {
			if err := sum.add(dir, pid, all[pid], pid == root); err != nil {
				return nil, fmt.Errorf("measure process %d: %w", root, err)
			}
		}
		sums[root] = sum
	}
	return sums, nil
}

func tasksOf(all map[int]process, members []int) (n int) {
	for _, pid := range members {
		n += all[pid].threads
	}
	return n
}

func (s *TreeSize) add(proc *os.File, pid int, p process, root bool) error {
	bytes, fair, err := proportionalSize(proc, pid)
	if err != nil {
		return err
	}
	if !fair {
		bytes = p.resident
	}
	s.count(pid, bytes, fair, root)
	return nil
}

func (s *TreeSize) count(pid int, bytes int64, fair, root bool) {
	if !fair {
		s.Resident++
	}
	s.Processes++
	s.Bytes += bytes
	if !root && (s.Largest == 0 || bytes > s.LargestBytes) {
		s.Largest, s.LargestBytes = pid, bytes
	}
}

// listProcesses reads the stat of every process. Those that end meanwhile are left out.
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

// childrenOf gives each process's children, lowest pid first.
func childrenOf(all map[int]process) map[int][]int {
	children := map[int][]int{}
	for _, pid := range slices.Sorted(maps.Keys(all)) {
		children[all[pid].parent] = append(children[all[pid].parent], pid)
	}
	return children
}

// descendants gives root and its descendants, a parent before its children, without the spared ones and what is below them. The
// list was not read in one moment, so it may even go in a circle: nobody is found twice.
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

// proportionalSize is a process's fair share of memory; fair is false if it cannot be read.
func proportionalSize(proc *os.File, pid int) (bytes int64, fair bool, err error) {
	text, err := read(proc, strconv.Itoa(pid)+"/smaps_rollup")
	switch {
	case isGone(err): // it takes nothing any more
		return 0, true, nil
	case errors.Is(err, fs.ErrPermission):
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	bytes, err = parseRollup(text)
	if err != nil {
		return 0, false, fmt.Errorf("read %s/%d/smaps_rollup: %w", proc.Name(), pid, err)
	}
	return bytes, true, nil
}

// isGone says whether an error is that a process has ended, or is about to.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) }
