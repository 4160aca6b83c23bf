package sandbox

import (
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The filter lists refused calls instead of allowed calls, because people run any program: shells,
// compilers and Python use most of a kernel's calls. Calls newer than newestCall fail with ENOSYS,
// which every program can handle.

// newestCall is the last system call of the kernel for which this table was made (Linux 7.0).
const newestCall = unix.SYS_RSEQ_SLICE_YIELD

const (
	retEPERM        = retErrno | uint32(unix.EPERM)
	retENOSYS       = retErrno | uint32(unix.ENOSYS)
	retEAFNOSUPPORT = retErrno | uint32(unix.EAFNOSUPPORT)
)

// refusedCalls may do harm outside, or reach parts of the kernel that no program here needs.
var refusedCalls = []uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_SETNS, unix.SYS_UNSHARE,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOUNT_SETATTR, unix.SYS_STATMOUNT, unix.SYS_LISTMOUNT, unix.SYS_LISTNS,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP,
	unix.SYS_PROCESS_MRELEASE, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
	unix.SYS_ACCT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_SYSLOG,
	unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_VHANGUP, unix.SYS_MEMFD_SECRET, unix.SYS_LSM_SET_SELF_ATTR,
}

// hiddenCalls fail with ENOSYS, and programs do without them. A filter cannot see the flags of
// clone3, and libraries fall back to clone. io_uring can do what a filter refuses. Without pidfds
// Go and Python use pids.
var hiddenCalls = []uint32{
	unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD,
	// These calls give memory that need not be mapped. A watchdog could not count that memory.
	unix.SYS_MEMFD_CREATE, unix.SYS_SHMGET,
	// fs.aio-max-nr is a limit for the whole machine. System V's queues and semaphores outlive
	// their maker.
	unix.SYS_IO_SETUP, unix.SYS_MSGGET, unix.SYS_SEMGET,
}

// selfOnlyCalls are calls that change a process; here they may only change the caller. The field
// who is the index of the argument that names the process; that argument must be 0. The field
// account is the value of the first argument with which the call would change all processes of an
// account. The filter refuses that value. If the field account is 0, there is no such value.
var selfOnlyCalls = []struct{ number, who, account uint32 }{
	{unix.SYS_PRLIMIT64, 0, 0}, {unix.SYS_SCHED_SETAFFINITY, 0, 0}, {unix.SYS_SCHED_SETSCHEDULER, 0, 0},
	{unix.SYS_SCHED_SETPARAM, 0, 0}, {unix.SYS_SCHED_SETATTR, 0, 0}, {unix.SYS_SETPRIORITY, 1, unix.PRIO_USER},
	{unix.SYS_IOPRIO_SET, 1, 3}, // 3 is IOPRIO_WHO_USER
}

// globalNameCalls use objects that all processes of a machine find by number or name. Without an
// IPC namespace they reach objects of other programs of the account. Landlock lets any process
// watch any folder (landlock(7)), which shows the names in it. Without a user namespace nothing
// limits one user's part of the account's watches.
var globalNameCalls = []uint32{
	unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SHMDT, unix.SYS_MSGSND, unix.SYS_MSGRCV,
	unix.SYS_MSGCTL, unix.SYS_SEMOP, unix.SYS_SEMCTL, unix.SYS_SEMTIMEDOP, unix.SYS_MQ_OPEN,
	unix.SYS_MQ_UNLINK, unix.SYS_MQ_NOTIFY, unix.SYS_INOTIFY_ADD_WATCH, unix.SYS_INOTIFY_INIT1,
}

// namespaceFlags are the flags of clone(2) that make namespaces. CLONE_NEWTIME is left out: it
// shares its bit with the exit signal.
const namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// filterStart refuses calls of another architecture and calls newer than the tables. Afterwards the
// accumulator has the number of the call.
func filterStart() []instruction {
	f := append([]instruction{load(offArch)}, unlessEqual(auditArch, retKill)...)
	f = append(f, load(offNumber))
	return append(f, ifAbove(newestCall, retENOSYS)...)
}

// filter returns the whole program for a profile in a tier.
func filter(p Profile, t Tier) []instruction {
	f := filterStart()
	for _, n := range slices.Concat(refusedCalls, archRefusedCalls) {
		f = append(f, ifEqual(n, retEPERM)...)
	}
	for _, n := range hiddenIn(t) {
		f = append(f, ifEqual(n, retENOSYS)...)
	}
	for _, c := range argChecks(p) {
		f = append(f, onCall(c.number, c.body)...)
	}
	return append(f, ret(retAllow))
}

func hiddenIn(t Tier) []uint32 {
	if t.AtLeast(TierNamespaces) {
		return hiddenCalls
	}
	return slices.Concat(hiddenCalls, globalNameCalls, legacyCalls.inotify)
}

// argCheck checks the arguments of a call. Its body has the instructions that refuse the call.
type argCheck struct {
	number uint32
	body   []instruction
}

func argChecks(p Profile) []argCheck {
	list := []argCheck{
		{unix.SYS_CLONE, checkClone(p)},
		{unix.SYS_IOCTL, checkValue(1, unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSETD)},
		{unix.SYS_PERSONALITY, checkPersonality()},
		{unix.SYS_MKNODAT, checkMknod(2)},
		// No socket at all. Not even a Unix socket: a user's own folder may contain the socket of a
		// program on the host.
		{unix.SYS_SOCKET, []instruction{ret(retEAFNOSUPPORT)}},
		{unix.SYS_SOCKETPAIR, checkSocketPair()},
		// A watchdog assumes that each socket has a buffer of the usual size.
		{unix.SYS_SETSOCKOPT, checkValue(2, unix.SO_SNDBUF, unix.SO_SNDBUFFORCE)},
		{unix.SYS_FCNTL, checkValue(1, unix.F_SETPIPE_SZ)},
		// Huge pages belong to the machine. The machine's admin has reserved them for another
		// program.
		{unix.SYS_MMAP, append([]instruction{loadArg(3)}, ifAnyBit(unix.MAP_HUGETLB, retEPERM)...)},
	}
	for _, n := range legacyCalls.mknod {
		list = append(list, argCheck{n, checkMknod(1)})
	}
	for _, c := range selfOnlyCalls {
		body := append([]instruction{loadArg(c.who)}, unlessEqual(0, retEPERM)...)
		if c.account != 0 {
			body = append(append(body, loadArg(0)), ifEqual(c.account, retEPERM)...)
		}
		list = append(list, argCheck{c.number, body})
	}
	if p == ProfileTool {
		list = append(list, argCheck{unix.SYS_PRCTL, checkDumpable()})
	}
	if p == ProfileReview {
		for _, n := range legacyCalls.fork {
			list = append(list, argCheck{n, []instruction{ret(retEPERM)}})
		}
	}
	return list
}

// checkClone refuses new namespaces. It refuses threads with their own descriptors, because a
// watchdog counts only the descriptors of whole processes. In a review it allows only threads.
func checkClone(p Profile) []instruction {
	body := append([]instruction{loadArg(0)}, ifAnyBit(namespaceFlags, retEPERM)...)
	body = append(body, loadArg(0), instruction{code: opAnd, k: unix.CLONE_THREAD | unix.CLONE_FILES})
	body = append(body, ifEqual(unix.CLONE_THREAD, retEPERM)...)
	if p == ProfileReview {
		body = append(body, loadArg(0), instruction{code: opAnd, k: unix.CLONE_THREAD})
		body = append(body, ifEqual(0, retEPERM)...)
	}
	return body
}

// checkPersonality lets a program read its personality and set the plain personality, 0.
func checkPersonality() []instruction {
	return []instruction{
		loadArg(0),
		{code: opEqual, jt: 2, k: 0},
		{code: opEqual, jt: 1, k: 0xffffffff},
		ret(retEPERM),
	}
}

// checkValue refuses values of an argument, such as the request to type into a terminal.
func checkValue(arg uint32, values ...uint32) []instruction {
	body := []instruction{loadArg(arg)}
	for _, v := range values {
		body = append(body, ifEqual(v, retEPERM)...)
	}
	return body
}

// checkDumpable keeps a program from hiding its open files: root owns /proc/PID/fdinfo of a process
// that is not dumpable.
func checkDumpable() []instruction {
	return append([]instruction{loadArg(0), {code: opEqual, jf: 3, k: unix.PR_SET_DUMPABLE}}, checkValue(1, 0)...)
}

// checkSocketPair allows pairs of Unix sockets that can only reach each other. A datagram socket,
// and SOCK_RAW is one too, can send to any socket that has a path.
func checkSocketPair() []instruction {
	body := append([]instruction{loadArg(0)}, unlessEqual(unix.AF_UNIX, retEAFNOSUPPORT)...)
	body = append(body, loadArg(1), instruction{code: opAnd, k: 0xf}) // 0xf is SOCK_TYPE_MASK
	return append(append(body, ifEqual(unix.SOCK_DGRAM, retEPERM)...), ifEqual(unix.SOCK_RAW, retEPERM)...)
}

// checkMknod refuses to make device nodes; arg is the number of the mode's argument.
func checkMknod(arg uint32) []instruction {
	body := []instruction{loadArg(arg), {code: opAnd, k: unix.S_IFMT}}
	return append(append(body, ifEqual(unix.S_IFCHR, retEPERM)...), ifEqual(unix.S_IFBLK, retEPERM)...)
}

// loadFilter installs a profile's filter for the calling thread and all that it starts.
func loadFilter(p Profile, t Tier) error { return installFilter(assemble(filter(p, t)), 0) }

// assemble returns a program in the kernel's format.
func assemble(program []instruction) []unix.SockFilter {
	code := make([]unix.SockFilter, len(program))
	for i, in := range program {
		code[i] = unix.SockFilter{Code: in.code, Jt: in.jt, Jf: in.jf, K: in.k}
	}
	return code
}

// installFilter installs a filter for the calling thread, or by a flag for all threads of the
// process, and for all that they start. no_new_privs must be set.
func installFilter(code []unix.SockFilter, flags uintptr) error {
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	const setFilter = 1 // the kernel's SECCOMP_SET_MODE_FILTER
	if _, _, e := unix.RawSyscall(unix.SYS_SECCOMP, setFilter, flags, uintptr(unsafe.Pointer(&prog))); e != 0 {
		return fmt.Errorf("load the filter of %d instructions: seccomp: %w", len(code), e)
	}
	return nil
}
