package receive_test

import (
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// TestMain makes the test a sub-reaper, as a worker is.
func TestMain(m *testing.M) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
