package idle

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

func TestRun_Priority_IsLowMeanwhile(t *testing.T) {
	want := errors.New("the result")
	// The system call returns 20 minus the priority.
	before, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
	if err != nil {
		t.Fatal(err)
	}
	got := Run(func() error {
		if n, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid()); n != 1 || err != nil {
			t.Errorf("priority %d, %v", n, err)
		}
		return want
	})
	if !errors.Is(got, want) {
		t.Error(got)
	}
	if after, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid()); after != before || err != nil {
		t.Errorf("priority %d, %v; before %d", after, err, before)
	}
}
