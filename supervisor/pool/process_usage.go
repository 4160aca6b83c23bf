package pool

import "os"

// ProcessUsage counts the memory and the processes of a process and its descendants.
type ProcessUsage struct {
	Memory    int64 // resident bytes; shared memory counts for each process that shares it
	Processes int
}

// ProcessUsageOf returns the usage of the processes with these pids. It leaves out processes that
// are gone. It reads the list of all processes once, which takes milliseconds. So call it only if a
// user asks.
func ProcessUsageOf(pids ...int) map[int]ProcessUsage {
	all, err := listProcesses()
	if err != nil {
		return nil // the usage is then shown as unknown
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

// treeUsage adds up a process and its descendants. Each process counts once: if a pid is reused
// while the list is read, the parents may form a cycle.
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
