package pool

// becomeSubreaper does nothing, because macOS has no sub-reapers. A process that loses its parent
// becomes a child of process 1, and there is no /proc to find it. So processes that workers have
// started in their own sessions survive when a spawner is killed. The workers themselves end,
// because their sockets close.
func becomeSubreaper() error { return nil }

const waitAll = 0 // macOS has only one kind of children
