package spawnwire

import (
	"errors"
	"slices"
	"syscall"
)

// ShortageExitStatus is the exit status of a worker's start that found no room. The process that
// prepares the worker exits with it if the machine lacks memory or processes. (EX_TEMPFAIL of
// sysexits.h.)
const ShortageExitStatus = 75

// shortages are the errors by which a system reports a temporary shortage.
var shortages = []error{syscall.ENOSPC, syscall.EAGAIN, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}

// IsShortage reports whether a start failed because the machine had no room. Such a shortage is
// usually over soon.
func IsShortage(err error) bool {
	return slices.ContainsFunc(shortages, func(s error) bool { return errors.Is(err, s) })
}
