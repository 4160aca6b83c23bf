package sandbox

import "golang.org/x/sys/unix"

// auditArch is the kernel's name of this architecture (linux/audit.h). A call by another
// architecture's numbers, such as a 32-bit program's on a 64-bit machine, ends the process. The
// numbers of x32 are above newestCall.
const auditArch = unix.AUDIT_ARCH_X86_64

// archRefusedCalls are refused calls that exist only on some architectures.
var archRefusedCalls = []uint32{
	unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS,
	unix.SYS__SYSCTL, unix.SYS_CREATE_MODULE, unix.SYS_QUERY_MODULE, unix.SYS_GET_KERNEL_SYMS, unix.SYS_VSERVER,
}

// legacyCalls are older forms of calls that are refused or whose arguments are checked.
var legacyCalls = struct{ mknod, fork, inotify []uint32 }{
	mknod:   []uint32{unix.SYS_MKNOD},
	fork:    []uint32{unix.SYS_FORK, unix.SYS_VFORK},
	inotify: []uint32{unix.SYS_INOTIFY_INIT},
}
