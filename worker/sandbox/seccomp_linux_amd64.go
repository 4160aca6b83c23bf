package sandbox

import "golang.org/x/sys/unix"

// auditArch is what the kernel calls this architecture (linux/audit.h): a call of another one's numbers, as a 64-bit
// machine takes those of 32-bit programs, ends the process. The numbers of x32 are above the newest.
const auditArch = unix.AUDIT_ARCH_X86_64

// archRefusedCalls are the refused calls that other architectures do not have.
var archRefusedCalls = []uint32{
	unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS,
	unix.SYS__SYSCTL, unix.SYS_CREATE_MODULE, unix.SYS_QUERY_MODULE, unix.SYS_GET_KERNEL_SYMS, unix.SYS_VSERVER,
}

// legacyCalls are the older forms of calls that have rules.
var legacyCalls = struct{ mknod, fork []uint32 }{
	mknod: []uint32{unix.SYS_MKNOD},
	fork:  []uint32{unix.SYS_FORK, unix.SYS_VFORK},
}
