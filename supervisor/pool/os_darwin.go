package pool

import "syscall"

// socketpair makes two ends that close on exec.
func socketpair() (ends [2]int, err error) {
	err = closingOnExec(ends[:], func() (err error) {
		ends, err = syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		return err
	})
	return ends, err
}

// makePipe makes two ends that close on exec, the reading end first.
func makePipe(ends []int) error {
	return closingOnExec(ends, func() error { return syscall.Pipe(ends) })
}

// closingOnExec makes descriptors, and has nothing forked before they close on exec.
func closingOnExec(ends []int, open func() error) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := open(); err != nil {
		return err
	}
	for _, fd := range ends {
		syscall.CloseOnExec(fd)
	}
	return nil
}

// becomeSubreaper does nothing, because macOS has no sub-reapers: what loses its parent becomes a child of process 1, and
// there is no /proc to list it in. So what workers have started in sessions of their own is left when a spawner is killed;
// the workers themselves end, because their sockets do.
func becomeSubreaper() error { return nil }

const waitAll = 0 // there is one kind of children
