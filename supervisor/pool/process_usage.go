package pool

import "os"

// ProcessUsage is what a process and its descendants use at some moment.
type ProcessUsage struct {
	Memory    int64 // resident bytes; what processes share is counted for each
	Processes int
}

// ProcessUsageOf reads the list of processes once, and gives the usage of those with these pids. A
// process that is not there is left out. It takes milliseconds, so it is for people who ask.
func ProcessUsageOf(pids ...int) map[int]ProcessUsage {
	all, err := listProcesses()
	if err != nil {
		return nil // it is not known, and nobody depends on it
	}
	known, children := map[int]processInfo{}, map[int][]processInfo{}
	for _, p := range all {
		known[p.pid] = p
		children[p.parent] = append(children[p.parent], p)
	}
	uses := map[int]ProcessUsage{}
	for _, pid := range pids {
		if p, ok := known[pid]; ok {
			uses[pid] = treeUsage(p, children, map[int]bool{})
		}
	}
	return uses
}

// treeUsage adds up a process tree. A pid may have been reused while the list was read, so that
// there may be a circle: each process counts once.
func treeUsage(p processInfo, children map[int][]processInfo, seen map[int]bool) ProcessUsage {
	seen[p.pid] = true
	use := ProcessUsage{Memory: int64(p.pages) * int64(os.Getpagesize()), Processes: 1}
	for _, child := range children[p.pid] {
		if !seen[child.pid] {
			more := treeUsage(child, children, seen)
			use.Memory, use.Processes = use.Memory+more.Memory, use.Processes+more.Processes
		}
	}
	return use
}
