package sandbox

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// isReader reports whether this process is a worker without a home. Its environment contains only
// its tier.
func isReader() bool { return os.Getenv("HOME") == "" }

// attempts are actions that a reading worker may not do.
var attempts = []struct {
	what string
	try  func() error
}{
	{"read the accounts", func() error { _, err := os.ReadFile("/etc/shadow"); return err }},
	{"list programs", func() error { _, err := os.ReadDir("/usr/bin"); return err }},
	{"list homes", func() error { _, err := os.ReadDir("/home"); return err }},
	{"write to /tmp", func() error { return os.WriteFile("/tmp/x", nil, 0o600) }},
	{"write to /dev/shm", func() error { return os.WriteFile("/dev/shm/x", nil, 0o600) }},
	{"write where it is", func() error { return os.WriteFile("x", nil, 0o600) }},
	{"call the network", func() error { return socket(unix.AF_INET) }},
	{"open a socket", func() error { return socket(unix.AF_UNIX) }},
	{"make a process", func() error { _, err := syscall.ForkExec("/proc/self/exe", []string{rowName}, nil); return err }},
	{"become a shell", func() error { return syscall.Exec("/bin/sh", []string{"sh", "-c", "echo shell"}, nil) }},
}

func socket(family int) error {
	_, err := unix.Socket(family, unix.SOCK_STREAM, 0)
	return err
}

// actReader tries each of the attempts, and prints those that succeeded.
func actReader() error {
	for _, a := range attempts {
		if err := a.try(); err == nil {
			fmt.Println("escaped:", a.what)
		}
	}
	fmt.Println(strings.Join(os.Environ(), " "))
	return nil
}

func TestReviewWorker_ForbiddenActions_Fail(t *testing.T) {
	program := plainBinary(t)
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		r.program = program
		r.plan.Profile, r.plan.Home, r.plan.Binds, r.plan.Worker = ProfileReview, BindMount{}, nil, program
		if diff := cmp.Diff(TierVariable+"="+string(r.plan.Tier), r.mustPrint("")); diff != "" {
			t.Error(diff)
		}
	})
}
