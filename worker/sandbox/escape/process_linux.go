package escape

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

func processes() []Probe {
	return []Probe{
		{Row: "P1", What: "signal the supervisor", Kernel: true, run: onProcess(supervisor, sendHarmlessSignal)},
		{Row: "P2", What: "signal a same-uid process", Core: true, run: onProcess(victim, sendHarmlessSignal)},
		{Row: "P3", What: "trace a same-uid process", run: onProcess(victim, seizeProcess)},
		{Row: "P4", What: "read a same-uid process's memory", Core: true, run: readVM},
		{Row: "P5", What: "hold a same-uid process by a pidfd", run: onProcess(victim, holdProcess)},
		{Row: "P6", What: "take a descriptor of a same-uid process", run: onProcess(victim, takeDescriptor)},
		{Row: "P7", What: "set a same-uid process's priority", run: onProcess(victim, setPriority)},
		{Row: "P8", What: "set a same-uid process's limits", run: onProcess(victim, setLimit)},
		{Row: "P9", What: "set a same-uid process's processors", run: onProcess(victim, setAffinity)},
	}
}

func supervisor(v Victims) int { return v.SupervisorPID }
func victim(v Victims) int     { return v.VictimPID }

func onProcess(which func(Victims) int, do func(pid int) error) func(Victims) error {
	return func(v Victims) error {
		pid, err := samePID(which(v), v)
		if err != nil {
			return err
		}
		return do(pid)
	}
}

// samePID returns a pid of the caller if it means the same process here. In a separate pid
// namespace the pid means another process or none. It is no escape to reach that other process.
func samePID(pid int, v Victims) (int, error) {
	switch own, err := os.Readlink("/proc/self/ns/pid"); {
	case pid == 0:
		return 0, notTriedError("no such process was named")
	case err == nil && v.PIDNamespace != "" && own != v.PIDNamespace:
		return 0, fmt.Errorf("pid %d means nothing in this pid namespace, %s", pid, own)
	case pid == os.Getpid():
		return 0, fmt.Errorf("pid %d is this very process in here", pid)
	}
	return pid, nil
}

// listedPID returns a pid of the caller for a search in /proc. That may be the caller's own /proc,
// which lists the caller's processes for readers in any pid namespace.
func listedPID(pid int, v Victims) (int, error) {
	_, err := samePID(pid, v)
	if err == nil || pid == 0 {
		return pid, err
	}
	self, e := os.Readlink("/proc/self")
	if e == nil && self != strconv.Itoa(os.Getpid()) {
		return pid, nil // the listed pids are not of this pid namespace
	}
	return 0, err
}

// sendHarmlessSignal sends SIGURG, which is ignored unless a program asks for it.
func sendHarmlessSignal(pid int) error {
	return wrapCall("kill", unix.Kill(pid, unix.SIGURG))
}

func wrapCall(call string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	return nil
}

// onThread runs a function on a separate thread that then ends, together with the function's
// changes to the thread.
func onThread(do func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked, so that no other goroutine gets this thread
		done <- do()
	}()
	return <-done
}

// seizeProcess seizes the process, which does not stop it, and releases it when the thread ends.
func seizeProcess(pid int) error {
	return onThread(func() error { return wrapCall("ptrace", unix.PtraceSeize(pid)) })
}

func readVM(v Victims) error {
	pid, err := samePID(v.VictimPID, v)
	if err != nil {
		return err
	}
	from, to, err := mapping(pid)
	if err != nil {
		// addresses without memory: the error EFAULT shows that the kernel allowed the access
		from, to = 1<<12, 1<<13
	}
	stack := make([]byte, to-from)
	local := unix.Iovec{Base: &stack[0]}
	local.SetLen(len(stack))
	remote := unix.RemoteIovec{Base: uintptr(from), Len: len(stack)}
	n, err := unix.ProcessVMReadv(pid, []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0)
	if errors.Is(err, unix.EFAULT) {
		return escapedError("it is allowed; only where to read is not known")
	}
	if err != nil {
		return fmt.Errorf("process_vm_readv: %w", err)
	}
	return checkSecret(stack[:n], v)
}

func holdProcess(pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	return closeMade("pidfd_open", fd, err)
}

// closeMade returns the answer of a call that makes a descriptor, and closes the descriptor.
func closeMade(call string, fd int, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	unix.Close(fd) // opening was the attempt; no byte is written
	return nil
}

func takeDescriptor(pid int) error {
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return fmt.Errorf("pidfd_open: %w", err)
	}
	defer unix.Close(process)
	fd, err := unix.PidfdGetfd(process, 0, 0)
	return closeMade("pidfd_getfd", fd, err)
}

// setPriority sets a process's priority to its present value.
func setPriority(pid int) error {
	has, err := unix.Getpriority(unix.PRIO_PROCESS, pid)
	if err != nil {
		return fmt.Errorf("getpriority: %w", err)
	}
	// the raw system call returns 20 minus the nice value
	return wrapCall("setpriority", unix.Setpriority(unix.PRIO_PROCESS, pid, 20-has))
}

// setLimit sets a process's limit to its present value.
func setLimit(pid int) error {
	var has unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_CORE, nil, &has); err != nil {
		return fmt.Errorf("prlimit, reading: %w", err)
	}
	return wrapCall("prlimit", unix.Prlimit(pid, unix.RLIMIT_CORE, &has, nil))
}

// setAffinity sets a process's allowed processors to their present value.
func setAffinity(pid int) error {
	var has unix.CPUSet
	if err := unix.SchedGetaffinity(pid, &has); err != nil {
		return fmt.Errorf("sched_getaffinity: %w", err)
	}
	return wrapCall("sched_setaffinity", unix.SchedSetaffinity(pid, &has))
}
