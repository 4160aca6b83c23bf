package pool

// becomeSubreaper does nothing, because macOS has no sub-reapers. A process that loses its parent
// becomes a child of process 1, and without /proc it can't be found. So if a spawner is killed,
// processes that workers have started in their own sessions survive. The workers themselves end,
// because their sockets close.
func becomeSubreaper() error { return nil }

const waitAll = 0 // macOS has no special kinds of children
