package spawn

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"mews/protocol/spawnwire"
)

// TestRun_OldKernel_FailsWithAdvice: the kernel is too old for a spawner, or a container's filter
// refuses a call. Then no worker starts. The error names the attempt and what to do. The spawner
// never starts workers with a missing wall.
func TestRun_OldKernel_FailsWithAdvice(t *testing.T) {
	for call, c := range map[uintptr]struct{ said, remedy string }{
		unix.SYS_CLOSE_RANGE:             {"close_range", "Linux 5.11"},
		unix.SYS_PIDFD_OPEN:              {"pidfd_open", "Linux 5.3"},
		unix.SYS_PIDFD_SEND_SIGNAL:       {"pidfd_send_signal", "Linux 5.3"},
		unix.SYS_OPENAT2:                 {"open /", "Linux 5.13"},
		unix.SYS_OPEN_TREE:               {"home /", "Linux 5.13"},
		unix.SYS_MOUNT_SETATTR:           {"mount_setattr", "Linux 5.13"},
		unix.SYS_FSOPEN:                  {"fsopen", "Linux 5.13"},
		unix.SYS_MOVE_MOUNT:              {"move_mount", "Linux 5.13"},
		unix.SYS_SECCOMP:                 {"seccomp", "Linux 5.13"},
		unix.SYS_LANDLOCK_CREATE_RULESET: {"Landlock", "a container's filter hides it"},
	} {
		for _, answer := range []syscall.Errno{unix.ENOSYS, unix.EPERM} {
			said := startWithout(t, call, answer)
			for _, want := range []string{c.said, answer.Error(), c.remedy} {
				if !strings.Contains(said, want) {
					t.Errorf("call %d, %v: it said %q, want %q", call, answer, said, want)
				}
			}
		}
	}
}

// startWithout starts a spawner for which a system call fails with answer. It returns the spawner's
// output at its end.
func startWithout(t *testing.T, call uintptr, answer syscall.Errno) string {
	t.Helper()
	conn, theirs, err := spawnwire.NewConnPair()
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil { // ends a spawner that serves although the call is missing
		t.Fatal(err)
	}
	args := []string{"without", fmt.Sprint(call), fmt.Sprint(int(answer)), "worker=/bin/sh"}
	cmd := command(t, append(args, withAccount(nil)...)...)
	cmd.ExtraFiles = []*os.File{theirs}
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("call %d, %v: it served", call, answer)
	}
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// serveWithout makes a system call fail and becomes a spawner.
func serveWithout(args []string) error {
	runtime.LockOSThread()
	call, err1 := strconv.ParseUint(args[0], 10, 32)
	answer, err2 := strconv.ParseUint(args[1], 10, 16)
	if err := errors.Join(err1, err2, unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)); err != nil {
		return err
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: uint32(call)},
		{Code: unix.BPF_RET, K: unix.SECCOMP_RET_ERRNO | uint32(answer)},
		{Code: unix.BPF_RET, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		return err
	}
	return syscall.Exec("/proc/self/exe", append([]string{"mews-spawner", "serve"}, args[2:]...), os.Environ())
}
