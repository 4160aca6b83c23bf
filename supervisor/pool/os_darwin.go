package pool

// becomeSubreaper does nothing, because macOS has no sub-reapers: what loses its parent becomes a
// child of process 1, and there is no /proc to list it in. So what workers have started in sessions
// of their own is left when a spawner is killed; the workers themselves end, because their sockets
// do.
func becomeSubreaper() error { return nil }

const waitAll = 0 // there is one kind of children
