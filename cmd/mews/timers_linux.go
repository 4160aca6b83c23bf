package main

import (
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// timerSlack is by how much a sleep may last longer than was asked. Go's scheduler looks every 20 µs whether a thread still
// waits for the disk. The kernel makes 70 of that, and looking was an eighth of the processor time of a turn.
// deploy/systemd/mews.service has the same.
const timerSlack = 300 * time.Microsecond

// usualSlack is what every process has whose slack nobody has set; see PR_SET_TIMERSLACK in prctl(2).
const usualSlack = 50 * time.Microsecond

// coarseTimers gives timerSlack to this process and to all that it starts, unless whoever started it has set another slack.
// A thread has that of the thread that made it, and Go makes its first threads before main: so the process executes its
// program again. Where it can't, it goes on as it is. It must be called before anything else is done.
func coarseTimers() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil || time.Duration(slack) != usualSlack {
		return
	}
	self, err := os.Executable()
	if err != nil || unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(timerSlack), 0, 0, 0) != nil {
		return
	}
	_ = unix.Exec(self, os.Args, os.Environ())
}
