package pool

import "os"

// ProcessUsage is the memory and processes of a process and its descendants.
type ProcessUsage struct {
	Memory    int64 // resident bytes; shared memory counts for each process
	Processes int
}

// ProcessUsageOf returns the usage of the processes with these pids. It leaves out missing
// processes. It reads the list of all processes once and takes milliseconds, so call it only when a
// user asks.
func ProcessUsageOf(pids ...int) map[int]ProcessUsage {
	all, err := listProcesses()
	if err != nil {
		return nil // users see it as unknown
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

// treeUsage adds up a process tree. Each process counts once, because pids may form a cycle if one
// is reused while the list is read.
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
