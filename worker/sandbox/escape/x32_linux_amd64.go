package escape

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// x32Socket makes a socket by the call's number in the x32 ABI, which filters that compare numbers
// overlook.
func x32Socket(Victims) error {
	const x32 = 0x40000000 // __X32_SYSCALL_BIT marks a call of the x32 ABI
	fd, _, errno := syscall.RawSyscall(x32|unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0)
	return descriptor("socket of x32", fd, errno)
}
