package sandbox

// archRefused are refused calls that only this architecture has, archForks its older calls that make a child.
var archRefused, archForks []uint32
