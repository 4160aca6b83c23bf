package sandbox

// Calls that only this architecture has: archRefused are refused, archForks make a child,
// archInotify watch folders.
var archRefused, archForks, archInotify []uint32
