package spawnwire

import (
	"errors"
	"slices"
	"syscall"
)

// ShortageStatus is the exit status of a stage before a worker for which the machine had no room
// (EX_TEMPFAIL of sysexits.h).
const ShortageStatus = 75

// shortages are the errors by which a system says that it has no more of something for now.
var shortages = []error{syscall.ENOSPC, syscall.EAGAIN, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}

// IsShortage says whether a start failed because the machine had no room for it. That is nobody's
// fault, and soon over.
func IsShortage(err error) bool {
	return slices.ContainsFunc(shortages, func(s error) bool { return errors.Is(err, s) })
}
