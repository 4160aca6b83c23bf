package pool

import "os"

// ProcessUsage is what a process and all that descends from it have at some moment.
type ProcessUsage struct {
	Memory    int64 // resident bytes; what processes share is counted for each
	Processes int
}

// ProcessUsageOf looks at the list of processes once, and gives what those with these pids have. One that is not there is left out.
// It is for people who ask: it takes milliseconds.
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

// treeUsage adds up a tree. The list is of no one moment, and a number may have been given anew within it: nobody counts twice.
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
