package sandbox

import (
	"testing"

	"golang.org/x/sys/unix"
)

// testCall is a system call whose arguments matter, with the processes that may make it. An allowed
// testCall changes nothing: it fails with an error other than EPERM, ENOSYS or EAFNOSUPPORT, or
// sets a value that is already set.
type testCall struct {
	what    string
	number  uint32
	args    [6]uint64
	allowed func(p Profile, walled bool) bool // allowed reports whether a process may make the call; walled means that it has its own namespaces
}

func (g testCall) call() call { return call{g.number, auditArch, g.args} }

func never(Profile, bool) bool  { return false }
func always(Profile, bool) bool { return true }

const (
	none = 1<<32 - 1 // a number that no descriptor, process or account has
	kind = 0xff      // a number that is no type of socket
)

var checkedCalls = []testCall{
	{"clone of a user", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWUSER | unix.CLONE_FS}, never},
	{"clone of a network", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWNET | unix.CLONE_THREAD}, never},
	{"clone of mounts", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWNS | unix.CLONE_FS}, never},
	{"clone of processes", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWPID | unix.CLONE_THREAD}, never},
	{"clone of a control group", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWCGROUP | unix.CLONE_THREAD}, never},
	{"clone of a name", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWUTS | unix.CLONE_THREAD}, never},
	{"clone of queues", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWIPC | unix.CLONE_SYSVSEM}, never},
	// fails with EINVAL: CLONE_SIGHAND is missing
	{"clone of a thread", unix.SYS_CLONE, [6]uint64{unix.CLONE_THREAD | unix.CLONE_FILES}, always},
	{"clone of a thread with files of its own", unix.SYS_CLONE, [6]uint64{unix.CLONE_THREAD}, never},
	// fails with EINVAL: CLONE_VM is missing
	{"clone of a process", unix.SYS_CLONE, [6]uint64{unix.CLONE_SIGHAND},
		func(p Profile, _ bool) bool { return p != ProfileReview }},
	{"clone3", unix.SYS_CLONE3, [6]uint64{}, never},
	{"unshare of nothing", unix.SYS_UNSHARE, [6]uint64{}, never},
	{"to type", unix.SYS_IOCTL, [6]uint64{none, unix.TIOCSTI}, never},
	{"to type, by a number's high half", unix.SYS_IOCTL, [6]uint64{none, unix.TIOCSTI | 1<<32}, never},
	{"a console's selection", unix.SYS_IOCTL, [6]uint64{none, unix.TIOCLINUX}, never},
	{"a line discipline", unix.SYS_IOCTL, [6]uint64{none, unix.TIOCSETD}, never},
	{"a terminal's settings", unix.SYS_IOCTL, [6]uint64{none, unix.TCGETS}, always},
	{"what personality", unix.SYS_PERSONALITY, [6]uint64{0xffffffff}, always},
	{"the plain personality", unix.SYS_PERSONALITY, [6]uint64{0}, always},
	{"addresses that can be known", unix.SYS_PERSONALITY, [6]uint64{0x0040000}, never},
	{"a disk", unix.SYS_MKNODAT, [6]uint64{none, 0, unix.S_IFBLK | 0o600, 0x800}, never},
	{"a character device", unix.SYS_MKNODAT, [6]uint64{none, 0, unix.S_IFCHR | 0o600, 0x103}, never},
	{"a queue", unix.SYS_MKNODAT, [6]uint64{none, 0, unix.S_IFIFO | 0o600}, always},
	{"a plain file", unix.SYS_MKNODAT, [6]uint64{none, 0, unix.S_IFREG | 0o600}, always},
	{"a Unix socket", unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, kind}, never},
	{"IPv4", unix.SYS_SOCKET, [6]uint64{unix.AF_INET, kind}, never},
	{"IPv6", unix.SYS_SOCKET, [6]uint64{unix.AF_INET6, kind}, never},
	{"netlink", unix.SYS_SOCKET, [6]uint64{unix.AF_NETLINK, kind}, never},
	{"packets", unix.SYS_SOCKET, [6]uint64{unix.AF_PACKET, kind}, never},
	{"the hypervisor", unix.SYS_SOCKET, [6]uint64{unix.AF_VSOCK, kind}, never},
	{"the kernel's ciphers", unix.SYS_SOCKET, [6]uint64{unix.AF_ALG, kind}, never},
	{"Bluetooth", unix.SYS_SOCKET, [6]uint64{unix.AF_BLUETOOTH, kind}, never},
	{"a pair", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}, always}, // fails with EFAULT
	{"a pair of packets", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET | unix.SOCK_CLOEXEC},
		always},
	{"a pair of datagrams", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC}, never},
	{"a pair of raw ones", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_RAW}, never},
	{"a pair of IPv4", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_INET, unix.SOCK_STREAM}, never},
	{"a pair of TIPC", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_TIPC, unix.SOCK_SEQPACKET}, never},
	{"one's own limit", unix.SYS_PRLIMIT64, [6]uint64{0, none}, always},
	{"another's limit", unix.SYS_PRLIMIT64, [6]uint64{none, none}, never},
	{"one's own rank", unix.SYS_SETPRIORITY, [6]uint64{99, 0}, always},
	{"another's rank", unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_PROCESS, 1}, never},
	{"an account's rank", unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_USER, 0, 0}, never},
	{"one's own rank at the disk", unix.SYS_IOPRIO_SET, [6]uint64{99, 0}, always},
	{"another's rank at the disk", unix.SYS_IOPRIO_SET, [6]uint64{1, 1}, never},
	{"an account's rank at the disk", unix.SYS_IOPRIO_SET, [6]uint64{3, 0}, never},
	{"another's processors", unix.SYS_SCHED_SETAFFINITY, [6]uint64{1}, never},
	{"another's scheduler", unix.SYS_SCHED_SETSCHEDULER, [6]uint64{1}, never},
	{"another's weight", unix.SYS_SCHED_SETATTR, [6]uint64{1}, never},
	{"another's parameter", unix.SYS_SCHED_SETPARAM, [6]uint64{1}, never},
	{"a page of memory", unix.SYS_MMAP, [6]uint64{}, always}, // fails with EINVAL: the length is 0
	{"a huge page", unix.SYS_MMAP, [6]uint64{0, 0, 0, unix.MAP_HUGETLB}, never},
	{"a larger pipe", unix.SYS_FCNTL, [6]uint64{none, unix.F_SETPIPE_SZ}, never},
	{"a larger buffer of a socket", unix.SYS_SETSOCKOPT, [6]uint64{none, unix.SOL_SOCKET, unix.SO_SNDBUF}, never},
	{"the same by force", unix.SYS_SETSOCKOPT, [6]uint64{none, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE}, never},
	{"another option of a socket", unix.SYS_SETSOCKOPT, [6]uint64{none, unix.SOL_SOCKET, unix.SO_PASSCRED}, always},
	{"a pipe's size", unix.SYS_FCNTL, [6]uint64{none, unix.F_GETPIPE_SZ}, always},
	{"to hide", unix.SYS_PRCTL, [6]uint64{unix.PR_SET_DUMPABLE, 0}, func(p Profile, _ bool) bool { return p != ProfileTool }},
	{"to be seen", unix.SYS_PRCTL, [6]uint64{unix.PR_SET_DUMPABLE, 1}, always},
	{"a thread's name", unix.SYS_PRCTL, [6]uint64{unix.PR_GET_NAME, 0}, always}, // fails with EFAULT
	{"a shared segment", unix.SYS_SHMAT, [6]uint64{none}, func(_ Profile, walled bool) bool { return walled }},
	{"a queue by its name", unix.SYS_MQ_OPEN, [6]uint64{0}, func(_ Profile, walled bool) bool { return walled }},
	{"a key", unix.SYS_KEYCTL, [6]uint64{none}, never},
	{"a process's descriptor", unix.SYS_PIDFD_OPEN, [6]uint64{1}, never},
	{"a ring", unix.SYS_IO_URING_SETUP, [6]uint64{1}, never},
	{"a file by its handle", unix.SYS_OPEN_BY_HANDLE_AT, [6]uint64{none}, never},
	{"a program of the kernel's", unix.SYS_BPF, [6]uint64{none}, never},
	{"another's mounts", unix.SYS_SETNS, [6]uint64{none}, never},
}

func TestSeccompFilter_CheckedCalls_AreDecided(t *testing.T) {
	inEachFilter(t, func(t *testing.T, p Profile, tier Tier, f []instruction) {
		for _, g := range checkedCalls {
			got, err := evaluate(f, g.call())
			if may := g.allowed(p, tier.AtLeast(TierNamespaces)); err != nil || (got == retAllow) != may {
				t.Errorf("%s: %#x, %v; allowed should be %t", g.what, got, err, may)
			}
		}
	})
}
