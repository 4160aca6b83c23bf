package sandbox

// archRefused are refused calls that only this architecture has, archForks its older calls that
// make a child, archInotify that for watching.
var archRefused, archForks, archInotify []uint32
