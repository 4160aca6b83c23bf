package filehistory

import "golang.org/x/sys/unix"

// lowerPriority lowers the priority of this thread. On Linux a priority belongs to a thread
// (setpriority(2)).
func lowerPriority() {
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), niceness) // an error is harmless
}
