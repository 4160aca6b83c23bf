package schedule

import (
	"maps"
	"slices"
)

// Routines are the names of all that is built in, sorted. Each is the command too that turns it on.
func Routines() []string { return slices.Sorted(maps.Keys(routines())) }
