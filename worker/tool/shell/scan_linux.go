package shell

import (
	"time"

	"golang.org/x/sys/unix"
)

// fileTime returns the time that a file would get for a change now. It is the kernel's time, up to
// a tick late (clock_gettime(2), CLOCK_REALTIME_COARSE).
func fileTime() time.Time {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now) != nil {
		return time.Now()
	}
	return time.Unix(now.Unix())
}
