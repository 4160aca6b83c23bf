package sandbox

import "golang.org/x/sys/unix"

// auditArch is the kernel's name of this architecture (linux/audit.h). A call by another
// architecture's numbers, such as a 32-bit program's on a 64-bit machine, ends the process.
const auditArch = unix.AUDIT_ARCH_AARCH64

// archRefusedCalls are refused calls that exist only on some architectures.
var archRefusedCalls []uint32

// legacyCalls are older forms of calls that are refused or whose arguments are checked.
var legacyCalls struct{ mknod, fork, inotify []uint32 }
