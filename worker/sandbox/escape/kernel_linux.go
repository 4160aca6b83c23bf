package escape

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func kernel() []Probe {
	return []Probe{
		{Row: "K1", What: "mount a tmpfs", Core: true, Kernel: true, run: mount},
		{Row: "K2", What: "open a file system with fsopen", Kernel: true, run: openFileSystem},
		{Row: "K3", What: "clone a user namespace", Core: true, run: cloneNamespace},
		{Row: "K4", What: "unshare user and network namespaces", run: unshareNamespaces},
		{Row: "K5", What: "clone3 a user namespace", Core: true, run: clone3Namespace},
		{Row: "K6", What: "find the session keyring", run: findKeyring},
		{Row: "K7", What: "load a BPF program", Kernel: true, run: loadBPF},
		{Row: "K8", What: "set io_uring up", Core: true, run: setUpRing},
		{Row: "K9", What: "make a userfaultfd", run: makeUserfault},
		{Row: "K10", What: "count the own events with perf", run: openPerf},
		{Row: "K11", What: "open a file by its handle", run: openByHandle},
		{Row: "K12", What: "chroot", Kernel: true, run: chroot},
		{Row: "K13", What: "reach setns", run: reachSetns},
		{Row: "K14", What: "add a key to a keyring", run: addKey},
		{Row: "K15", What: "turn address randomisation off", run: setPersonality},
		{Row: "K16", What: "make a socket by an x32 call", Kernel: true, run: x32Socket},
		{Row: "K17", What: "load a kernel module", Kernel: true, run: loadModule},
		{Row: "K18", What: "have a capability", Core: true, Kernel: true, run: haveCapability},
		{Row: "K19", What: "gain rights by exec (no no_new_privs)", Core: true, run: lackNoNewPrivs},
	}
}

// mount mounts in a separate mount namespace of its own thread if possible, so that no other
// process sees the mount.
func mount(v Victims) error {
	dir := freshName(v.workspace(), "K1")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return notTriedError("there is no place to mount at: " + err.Error())
	}
	defer os.Remove(dir)
	return onThread(func() error {
		if unix.Unshare(unix.CLONE_NEWNS) == nil {
			// if this fails, other processes see the mount until it is undone
			_ = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
		}
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4k"); err != nil {
			return fmt.Errorf("mount: %w", err)
		}
		return afterUndo(wrapCall("umount", unix.Unmount(dir, unix.MNT_DETACH)))
	})
}

func openFileSystem(Victims) error {
	fd, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	return closeMade("fsopen", fd, err)
}

func cloneNamespace(Victims) error {
	pid, errno := cloneAndEnd(unix.CLONE_NEWUSER)
	return childError("clone", pid, errno)
}

func unshareNamespaces(Victims) error {
	pid, errno := cloneAndUnshare(unix.CLONE_NEWUSER | unix.CLONE_NEWNET)
	return childError("unshare", pid, errno)
}

func clone3Namespace(Victims) error {
	pid, errno := clone3AndEnd(&cloneArgs{flags: unix.CLONE_NEWUSER, exitSignal: uint64(unix.SIGCHLD)})
	return childError("clone3", pid, errno)
}

func findKeyring(Victims) error {
	_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false)
	return wrapCall("keyctl", err)
}

// bpfLoad is the start of union bpf_attr for BPF_PROG_LOAD.
type bpfLoad struct {
	kind, count                uint32
	instructions, license, log uint64
	logLevel, logSize          uint32
	_                          uint64
}

// loadBPF loads a socket filter that lets nothing through. The filter is not attached to any
// socket.
func loadBPF(Victims) error {
	// struct bpf_insn begins with its code, and both architectures are little-endian
	program := &[2]uint64{
		unix.BPF_ALU64 | unix.BPF_MOV | unix.BPF_K, // sets the register r0 to 0
		unix.BPF_JMP | unix.BPF_EXIT,
	}
	license := &[4]byte{'G', 'P', 'L'}
	var pins runtime.Pinner // the garbage collector does not see the addresses below as pointers
	defer pins.Unpin()
	pins.Pin(program)
	pins.Pin(license)
	attr := bpfLoad{
		kind:         unix.BPF_PROG_TYPE_SOCKET_FILTER,
		count:        uint32(len(program)),
		instructions: uint64(uintptr(unsafe.Pointer(program))),
		license:      uint64(uintptr(unsafe.Pointer(license))),
	}
	fd, _, errno := syscall.RawSyscall(unix.SYS_BPF, unix.BPF_PROG_LOAD, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	return descriptor("bpf", fd, errno)
}

// descriptor does the work of closeMade for a raw system call.
func descriptor(call string, fd uintptr, errno syscall.Errno) error {
	if errno != 0 {
		return fmt.Errorf("%s: %w", call, errno)
	}
	return closeMade(call, int(fd), nil)
}

func setUpRing(Victims) error {
	var params [120]byte // struct io_uring_params, all zero
	fd, _, errno := syscall.RawSyscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	return descriptor("io_uring_setup", fd, errno)
}

func makeUserfault(Victims) error {
	const userModeOnly = 1 // UFFD_USER_MODE_ONLY: the only kind that all accounts may have
	fd, _, errno := syscall.RawSyscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|userModeOnly, 0, 0)
	return descriptor("userfaultfd", fd, errno)
}

// openPerf counts this process's own time outside of the kernel, which is the smallest possible
// request.
func openPerf(Victims) error {
	attr := unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_SOFTWARE,
		Config: unix.PERF_COUNT_SW_TASK_CLOCK,
		Size:   uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Bits:   unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	return closeMade("perf_event_open", fd, err)
}

// openByHandle opens the workspace by its handle. The known escape "shocker" opens files that way
// if they have no path in the container. Then openByHandle tries the handle of this process, which
// Linux gives to all accounts since 6.13.
func openByHandle(v Victims) error {
	dir, err := unix.Open(v.workspace(), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return notTriedError("the workspace cannot be opened: " + err.Error())
	}
	defer unix.Close(dir)
	first := openHandleOf(dir)
	if first == nil {
		return escapedError("a folder")
	}
	process, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return first
	}
	defer unix.Close(process)
	if openHandleOf(process) == nil {
		return escapedError("a process")
	}
	return first
}

func openHandleOf(fd int) error {
	handle, _, err := unix.NameToHandleAt(fd, "", unix.AT_EMPTY_PATH)
	if err != nil {
		return fmt.Errorf("name_to_handle_at: %w", err)
	}
	opened, err := unix.OpenByHandleAt(fd, handle, unix.O_RDONLY|unix.O_CLOEXEC)
	return closeMade("open_by_handle_at", opened, err)
}

// chroot changes the root to itself.
func chroot(Victims) error { return wrapCall("chroot", unix.Chroot("/")) }

// reachSetns calls setns with an invalid descriptor. If the kernel refuses the descriptor, no
// filter has refused the call.
func reachSetns(Victims) error {
	err := unix.Setns(-1, 0)
	if errors.Is(err, unix.EBADF) {
		return escapedError("the kernel answered")
	}
	return wrapCall("setns", err)
}

// addKey adds a key that ends with the process.
func addKey(Victims) error {
	_, err := unix.AddKey("user", "mews-escape", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
	return wrapCall("add_key", err)
}

// setPersonality changes the personality of a thread that then ends.
func setPersonality(Victims) error {
	const (
		ask         = 0xffffffff
		noRandomize = 0x0040000 // ADDR_NO_RANDOMIZE of personality(2)
	)
	return onThread(func() error {
		before, _, errno := syscall.RawSyscall(unix.SYS_PERSONALITY, ask, 0, 0)
		if errno != 0 {
			return fmt.Errorf("personality, asking: %w", errno)
		}
		if _, _, errno = syscall.RawSyscall(unix.SYS_PERSONALITY, before|noRandomize, 0, 0); errno != 0 {
			return fmt.Errorf("personality: %w", errno)
		}
		after, _, errno := syscall.RawSyscall(unix.SYS_PERSONALITY, ask, 0, 0)
		if errno != 0 || after&noRandomize == 0 {
			return errors.New("personality: nothing changed")
		}
		return nil
	})
}

// loadModule loads one byte as a kernel module. For a process that may load modules, the error
// tells that the byte is no module. Other processes get EPERM.
func loadModule(Victims) error {
	err := unix.InitModule([]byte{0}, "")
	if errors.Is(err, unix.ENOEXEC) {
		return escapedError("the kernel took it, and only found that it is no module")
	}
	return wrapCall("init_module", err)
}

func haveCapability(Victims) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return fmt.Errorf("capget: %w", err)
	}
	effective := uint64(sets[1].Effective)<<32 | uint64(sets[0].Effective)
	permitted := uint64(sets[1].Permitted)<<32 | uint64(sets[0].Permitted)
	if effective|permitted == 0 {
		return errors.New("there is none, effective or permitted")
	}
	return escapedError(fmt.Sprintf("effective %#x, permitted %#x", effective, permitted))
}

func lackNoNewPrivs(Victims) error {
	set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	if err != nil {
		return fmt.Errorf("prctl: %w", err)
	}
	if set == 1 {
		return errors.New("no_new_privs is set")
	}
	return nil
}
