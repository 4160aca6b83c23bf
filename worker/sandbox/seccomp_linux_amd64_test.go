package sandbox

import "golang.org/x/sys/unix"

// Calls that only this architecture has: archRefused are refused, archForks make a child,
// archInotify watch folders.
var (
	archRefused = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS,
		unix.SYS__SYSCTL, unix.SYS_CREATE_MODULE, unix.SYS_QUERY_MODULE, unix.SYS_GET_KERNEL_SYMS, unix.SYS_VSERVER}
	archForks   = []uint32{unix.SYS_FORK, unix.SYS_VFORK}
	archInotify = []uint32{unix.SYS_INOTIFY_INIT}
)
