package idle

import "golang.org/x/sys/unix"

// Arguments of ioprio_set(2) for the idle class of a thread.
const (
	ioprioWhoProcess = 1
	ioprioClassIdle  = 3 << 13
)

// lowerPriority lowers the priority of this thread. On Linux a priority belongs to a thread. An
// error is harmless: the work takes more from others then.
func lowerPriority() {
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), 19)
	_, _, _ = unix.Syscall(unix.SYS_IOPRIO_SET, ioprioWhoProcess, 0, ioprioClassIdle)
}
