package sandbox

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// trial is a call whose arguments matter, and who may make it. No trial does anything where it is allowed: it has an
// error of its own that is neither EPERM, ENOSYS nor EAFNOSUPPORT, or says what holds anyway.
type trial struct {
	what   string
	number uint32
	args   [6]uint64
	may    func(p Profile, walled bool) bool // walled: it has namespaces of its own
}

func (g trial) call() call { return call{g.number, auditArch, g.args} }

func nobody(Profile, bool) bool    { return false }
func everybody(Profile, bool) bool { return true }

// sockets are those who may make one of a family.
func sockets(list ...Profile) func(Profile, bool) bool {
	return func(p Profile, walled bool) bool { return walled && slices.Contains(list, p) }
}

const (
	none = 1<<32 - 1 // a descriptor, a process or an account that there is not
	kind = 0xff      // no type of socket
)

var guarded = []trial{
	{"clone of a user", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWUSER | unix.CLONE_FS}, nobody},
	{"clone of a network", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWNET | unix.CLONE_THREAD}, nobody},
	{"clone of mounts", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWNS | unix.CLONE_FS}, nobody},
	{"clone of processes", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWPID | unix.CLONE_THREAD}, nobody},
	{"clone of a control group", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWCGROUP | unix.CLONE_THREAD}, nobody},
	{"clone of a name", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWUTS | unix.CLONE_THREAD}, nobody},
	{"clone of queues", unix.SYS_CLONE, [6]uint64{unix.CLONE_NEWIPC | unix.CLONE_SYSVSEM}, nobody},
	{"clone of a thread", unix.SYS_CLONE, [6]uint64{unix.CLONE_THREAD}, everybody}, // EINVAL: without CLONE_SIGHAND
	{"clone of a process", unix.SYS_CLONE, [6]uint64{unix.CLONE_SIGHAND}, // EINVAL: without CLONE_VM
		func(p Profile, _ bool) bool { return p != ProfileReview }},
	{"clone3", unix.SYS_CLONE3, [6]uint64{}, nobody},
	{"unshare of nothing", unix.SYS_UNSHARE, [6]uint64{}, nobody},
	{"to type", unix.SYS_IOCTL, [6]uint64{none, unix.TIOCSTI}, nobody},
	{"to type, by a number's high half", unix.SYS_IOCTL, [6]uint64{none, unix.TIOCSTI | 1<<32}, nobody},
	{"a console's selection", unix.SYS_IOCTL, [6]uint64{none, unix.TIOCLINUX}, nobody},
	{"a line discipline", unix.SYS_IOCTL, [6]uint64{none, unix.TIOCSETD}, nobody},
	{"a terminal's settings", unix.SYS_IOCTL, [6]uint64{none, unix.TCGETS}, everybody},
	{"what personality", unix.SYS_PERSONALITY, [6]uint64{0xffffffff}, everybody},
	{"the plain personality", unix.SYS_PERSONALITY, [6]uint64{0}, everybody},
	{"addresses that can be known", unix.SYS_PERSONALITY, [6]uint64{0x0040000}, nobody},
	{"a disk", unix.SYS_MKNODAT, [6]uint64{none, 0, unix.S_IFBLK | 0o600, 0x800}, nobody},
	{"a character device", unix.SYS_MKNODAT, [6]uint64{none, 0, unix.S_IFCHR | 0o600, 0x103}, nobody},
	{"a queue", unix.SYS_MKNODAT, [6]uint64{none, 0, unix.S_IFIFO | 0o600}, everybody},
	{"a plain file", unix.SYS_MKNODAT, [6]uint64{none, 0, unix.S_IFREG | 0o600}, everybody},
	{"a Unix socket", unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, kind}, nobody},
	{"IPv4", unix.SYS_SOCKET, [6]uint64{unix.AF_INET, kind}, sockets(ProfileEngine)},
	{"IPv6", unix.SYS_SOCKET, [6]uint64{unix.AF_INET6, kind}, sockets(ProfileEngine)},
	{"netlink", unix.SYS_SOCKET, [6]uint64{unix.AF_NETLINK, kind}, nobody},
	{"packets", unix.SYS_SOCKET, [6]uint64{unix.AF_PACKET, kind}, nobody},
	{"the hypervisor", unix.SYS_SOCKET, [6]uint64{unix.AF_VSOCK, kind}, nobody},
	{"the kernel's ciphers", unix.SYS_SOCKET, [6]uint64{unix.AF_ALG, kind}, nobody},
	{"Bluetooth", unix.SYS_SOCKET, [6]uint64{unix.AF_BLUETOOTH, kind}, nobody},
	{"a pair", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}, everybody}, // EFAULT
	{"a pair of packets", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET | unix.SOCK_CLOEXEC}, everybody},
	{"a pair of datagrams", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC}, nobody},
	{"a pair of raw ones", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_RAW}, nobody},
	{"a pair of IPv4", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_INET, unix.SOCK_STREAM}, nobody},
	{"a pair of TIPC", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_TIPC, unix.SOCK_SEQPACKET}, nobody},
	{"one's own limit", unix.SYS_PRLIMIT64, [6]uint64{0, none}, everybody},
	{"another's limit", unix.SYS_PRLIMIT64, [6]uint64{none, none}, nobody},
	{"one's own rank", unix.SYS_SETPRIORITY, [6]uint64{99, 0}, everybody},
	{"another's rank", unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_PROCESS, 1}, nobody},
	{"an account's rank", unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_USER, 0, 0}, nobody},
	{"one's own rank at the disk", unix.SYS_IOPRIO_SET, [6]uint64{99, 0}, everybody},
	{"another's rank at the disk", unix.SYS_IOPRIO_SET, [6]uint64{1, 1}, nobody},
	{"an account's rank at the disk", unix.SYS_IOPRIO_SET, [6]uint64{3, 0}, nobody},
	{"another's processors", unix.SYS_SCHED_SETAFFINITY, [6]uint64{1}, nobody},
	{"another's scheduler", unix.SYS_SCHED_SETSCHEDULER, [6]uint64{1}, nobody},
	{"another's weight", unix.SYS_SCHED_SETATTR, [6]uint64{1}, nobody},
	{"another's parameter", unix.SYS_SCHED_SETPARAM, [6]uint64{1}, nobody},
	{"a page of memory", unix.SYS_MMAP, [6]uint64{}, everybody}, // EINVAL: of no length
	{"a shared segment", unix.SYS_SHMAT, [6]uint64{none}, func(_ Profile, walled bool) bool { return walled }},
	{"a queue by its name", unix.SYS_MQ_OPEN, [6]uint64{0}, func(_ Profile, walled bool) bool { return walled }},
	{"a key", unix.SYS_KEYCTL, [6]uint64{none}, nobody},
	{"a process's descriptor", unix.SYS_PIDFD_OPEN, [6]uint64{1}, nobody},
	{"a ring", unix.SYS_IO_URING_SETUP, [6]uint64{1}, nobody},
	{"a file by its handle", unix.SYS_OPEN_BY_HANDLE_AT, [6]uint64{none}, nobody},
	{"a program of the kernel's", unix.SYS_BPF, [6]uint64{none}, nobody},
	{"another's mounts", unix.SYS_SETNS, [6]uint64{none}, nobody},
}

func TestGuards(t *testing.T) {
	inEachFilter(t, func(t *testing.T, p Profile, tier Tier, f []instruction) {
		for _, g := range guarded {
			got, err := verdict(f, g.call())
			if may := g.may(p, tier.AtLeast(TierNamespaces)); err != nil || (got == retAllow) != may {
				t.Errorf("%s: %#x, %v; allowed should be %t", g.what, got, err, may)
			}
		}
	})
}
