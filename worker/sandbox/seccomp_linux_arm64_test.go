package sandbox

// doorsHere are doors that this architecture has alone, and forksHere its older ways to a child.
var doorsHere, forksHere []uint32
