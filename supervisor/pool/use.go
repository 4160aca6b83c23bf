package pool

import "os"

// Use is what a process and all that descends from it have at some moment.
type Use struct {
	Memory    int64 // resident bytes; what processes share is counted for each
	Processes int
}

// UseOf looks at the list of processes once, and gives what those with these pids have. One that is not there is left out.
// It is for people who ask: it takes milliseconds.
func UseOf(pids ...int) map[int]Use {
	all, err := relations()
	if err != nil {
		return nil // it is not known, and nobody depends on it
	}
	known, children := map[int]relation{}, map[int][]relation{}
	for _, p := range all {
		known[p.pid] = p
		children[p.parent] = append(children[p.parent], p)
	}
	uses := map[int]Use{}
	for _, pid := range pids {
		if p, ok := known[pid]; ok {
			uses[pid] = useOf(p, children, map[int]bool{})
		}
	}
	return uses
}

// useOf adds up a tree. The list is of no one moment, and a number may have been given anew within it: nobody counts twice.
func useOf(p relation, children map[int][]relation, seen map[int]bool) Use {
	seen[p.pid] = true
	use := Use{Memory: int64(p.pages) * int64(os.Getpagesize()), Processes: 1}
	for _, child := range children[p.pid] {
		if !seen[child.pid] {
			more := useOf(child, children, seen)
			use.Memory, use.Processes = use.Memory+more.Memory, use.Processes+more.Processes
		}
	}
	return use
}
