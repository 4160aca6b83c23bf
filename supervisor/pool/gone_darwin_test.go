package pool

import (
	"testing"

	"golang.org/x/sys/unix"
)

// awaitGone waits until the process has ended. (kqueue(2) reports it by NOTE_EXIT.)
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	queue, err := unix.Kqueue()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(queue) }()
	ask := make([]unix.Kevent_t, 1)
	unix.SetKevent(&ask[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	ask[0].Fflags = unix.NOTE_EXIT
	limit := unix.NsecToTimespec(deadline.Nanoseconds())
	for {
		n, err := unix.Kevent(queue, ask, make([]unix.Kevent_t, 1), &limit)
		if err == unix.EINTR {
			continue
		}
		if err != unix.ESRCH && (err != nil || n == 0) {
			t.Fatalf("process %d is still there: %v", pid, err)
		}
		return
	}
}
