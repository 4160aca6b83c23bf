package sandbox

import "golang.org/x/sys/unix"

// auditArch is what the kernel calls this architecture (linux/audit.h): a call of another one's numbers, as a 64-bit
// machine takes those of 32-bit programs, ends the process.
const auditArch = unix.AUDIT_ARCH_AARCH64

// onlyHere are the refused calls that other architectures do not have.
var onlyHere []uint32

// olderCalls are the older forms of calls that have rules.
var olderCalls struct{ mknod, fork []uint32 }
