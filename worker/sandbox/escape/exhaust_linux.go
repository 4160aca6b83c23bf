package escape

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// exhaust returns rows that try to use up resources of the whole machine or account. Each row takes
// little, and frees it again.
func exhaust() []Probe {
	return []Probe{
		{Row: "Q1", What: "take of the machine's asynchronous I/O", run: setUpAIO},
		{Row: "Q2", What: "make a System V queue", run: systemV(unix.SYS_MSGGET, unix.SYS_MSGCTL)},
		{Row: "Q3", What: "make a System V semaphore", run: systemV(unix.SYS_SEMGET, unix.SYS_SEMCTL)},
		{Row: "Q4", What: "make a System V memory segment", run: systemV(unix.SYS_SHMGET, unix.SYS_SHMCTL)},
		{Row: "Q5", What: fmt.Sprintf("have more than %d terminals", manyTerminals), run: openTerminals},
		{Row: "Q6", What: "take half of the account's inotify instances", run: openInotify},
		{Row: "Q7", What: fmt.Sprintf("have more than %d signals pending", manySignals), run: queueSignals},
		{Row: "Q8", What: "lock 1 MiB of memory", run: lockMemory},
		{Row: "Q9", What: "make a POSIX message queue", run: openQueue},
		{Row: "Q10", What: "make a pipe larger", run: enlargePipe},
		{Row: "Q11", What: "take a huge page", Kernel: true, run: mapHugePage},
		{Row: "Q12", What: "keep a quarter more epoll watches than are allowed", Watched: true, run: watchMany},
		{Row: "Q13", What: "keep a quarter more pipes than are allowed", Watched: true, run: pipeMany},
	}
}

const (
	manyTerminals = 64
	manySignals   = 5000
)

func setUpAIO(Victims) error {
	var context uintptr
	if _, _, errno := syscall.RawSyscall(unix.SYS_IO_SETUP, 1, uintptr(unsafe.Pointer(&context)), 0); errno != 0 {
		return fmt.Errorf("io_setup: %w", errno)
	}
	_, _, _ = syscall.RawSyscall(unix.SYS_IO_DESTROY, context, 0, 0)
	return nil
}

// systemV makes a System V object by the call get (semget, shmget or msgget), and removes the
// object.
func systemV(get, control uintptr) func(Victims) error {
	return func(Victims) error {
		const one = 1 // size of the object: one semaphore or one byte; a queue gets no size
		flags := uintptr(unix.IPC_CREAT | 0o600)
		arguments := [2]uintptr{one, flags}
		if get == unix.SYS_MSGGET {
			arguments = [2]uintptr{flags, 0}
		}
		id, _, errno := syscall.RawSyscall(get, unix.IPC_PRIVATE, arguments[0], arguments[1])
		if errno != 0 {
			return fmt.Errorf("make it: %w", errno)
		}
		command := [2]uintptr{unix.IPC_RMID, 0}
		if control == unix.SYS_SEMCTL { // semctl takes a semaphore's number before the command
			command = [2]uintptr{0, unix.IPC_RMID}
		}
		if _, _, errno = syscall.RawSyscall(control, id, command[0], command[1]); errno != 0 {
			return escapedError("and it stays: " + errno.Error())
		}
		return nil
	}
}

// openAll opens more than n objects, and closes all. If this process runs out of descriptors,
// several processes could still open more.
func openAll(what string, n int, open func() (int, error)) error {
	var fds []int
	defer func() {
		for _, fd := range fds {
			unix.Close(fd)
		}
	}()
	for len(fds) <= n {
		fd, err := open()
		if errors.Is(err, unix.EMFILE) && hasDescriptors() {
			return fmt.Errorf("%s, after %d: %w", what, len(fds), err)
		}
		if errors.Is(err, unix.EMFILE) {
			return escapedError(fmt.Sprintf("%d, until this process had no more descriptors", len(fds)))
		}
		if err != nil {
			return fmt.Errorf("%s, after %d: %w", what, len(fds), err)
		}
		fds = append(fds, fd)
	}
	return nil
}

// hasDescriptors reports whether this process can open another file.
func hasDescriptors() bool {
	fd, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
	return err == nil && unix.Close(fd) == nil
}

func openTerminals(Victims) error {
	return openAll("open a terminal", manyTerminals, func() (int, error) {
		return unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	})
}

func openInotify(Victims) error {
	most, err := readNumber("/proc/sys/fs/inotify/max_user_instances")
	if err != nil {
		return notTriedError("how many the account may have can't be read: " + err.Error())
	}
	return openAll("inotify_init1", most/2, func() (int, error) { return unix.InotifyInit1(unix.IN_CLOEXEC) })
}

// readNumber reads a setting of the kernel.
func readNumber(path string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// queueSignals queues signals to a thread that blocks them. The signals end with the thread.
func queueSignals(Victims) error {
	return onThread(func() error {
		const signal = 40 // a real-time signal: every sent signal stays pending
		var blocked unix.Sigset_t
		blocked.Val[0] = 1 << (signal - 1)
		if err := unix.PthreadSigmask(unix.SIG_BLOCK, &blocked, nil); err != nil {
			return fmt.Errorf("block the signal: %w", err)
		}
		said := unix.Siginfo{Signo: signal, Code: -1} // -1 is the code SI_QUEUE
		for n := range manySignals + 1 {
			_, _, errno := syscall.RawSyscall6(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(os.Getpid()), uintptr(unix.Gettid()), signal,
				uintptr(unsafe.Pointer(&said)), 0, 0)
			if errno != 0 {
				return fmt.Errorf("queue a signal, after %d: %w", n, errno)
			}
		}
		return nil
	})
}

func lockMemory(Victims) error {
	memory := make([]byte, 1<<20)
	if err := unix.Mlock(memory); err != nil {
		return fmt.Errorf("mlock: %w", err)
	}
	_ = unix.Munlock(memory)
	return nil
}

// openQueue makes a queue of the kernel's default size and removes it.
func openQueue(Victims) error {
	name := &[]byte(fmt.Sprintf("mews-escape-%d\x00", os.Getpid()))[0]
	fd, _, errno := syscall.RawSyscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(name)), unix.O_CREAT|unix.O_RDWR, 0o600, 0, 0, 0)
	// behind Landlock, the kernel refuses to remove the queue
	_, _, left := syscall.RawSyscall(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(name)), 0, 0)
	if errno != 0 {
		return fmt.Errorf("mq_open: %w", errno)
	}
	unix.Close(int(fd))
	if left != 0 {
		return escapedError("and it stays: " + left.Error())
	}
	return nil
}

func enlargePipe(Victims) error {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("pipe2: %w", err)
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	_, err := unix.FcntlInt(uintptr(pipe[0]), unix.F_SETPIPE_SZ, 1<<20)
	return wrapCall("fcntl", err)
}

func mapHugePage(Victims) error {
	const size = 2 << 20
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_HUGETLB)
	if err != nil {
		return fmt.Errorf("mmap: %w", err)
	}
	return errors.Join(unix.Munmap(memory))
}

// watchdogTime is the time for which a row keeps its resources, so that the watchdog sees them:
// three of its sweeps, and some time for their work.
var watchdogTime = 7 * time.Second

// Shares of an account's epoll watches and pipe pages that a watchdog leaves to one worker, as in
// worker/cgroup.
const (
	watchShare = 64
	pipeShare  = 4
	pipePages  = 16 // pages of a pipe, as long as the account has some left (pipe(7))
)

// watchMany makes more epoll watches than allowed, and keeps them. An epoll watches a file under
// each number that the file ever had, so a process with few descriptors can have many watches.
func watchMany(Victims) error {
	all, err := readNumber("/proc/sys/fs/epoll/max_user_watches")
	if err != nil {
		return notTriedError("how many the account may have can't be read: " + err.Error())
	}
	const files, numbers, first = 60, 60, 180 // the numbers are above all descriptors in use
	var watched [files]int
	for i := range watched {
		if watched[i], err = unix.Eventfd(0, unix.EFD_CLOEXEC); err != nil {
			return fmt.Errorf("eventfd: %w", err)
		}
	}
	for made := 0; made < all/watchShare*5/4; {
		epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
		if err != nil {
			return fmt.Errorf("epoll_create1, with %d watches: %w", made, err)
		}
		for number := first; number < first+numbers; number++ {
			for _, fd := range watched {
				if err = unix.Dup3(fd, number, unix.O_CLOEXEC); err == nil {
					err = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, number, &unix.EpollEvent{Events: unix.EPOLLIN})
				}
				if err != nil {
					return fmt.Errorf("epoll_ctl, with %d watches: %w", made, err)
				}
				made++
			}
		}
	}
	time.Sleep(watchdogTime)
	return nil
}

// pipeMany makes children that each open as many pipes as they can, and keep them.
func pipeMany(Victims) error {
	pages, err := readNumber("/proc/sys/fs/pipe-user-pages-soft")
	if err != nil {
		return notTriedError("how many the account may have can't be read: " + err.Error())
	}
	return onThread(func() error {
		var pids []int
		defer func() { endChildren(pids...) }()
		const each = 100
		for made := 0; made < pages/pipePages/pipeShare*5/4; made += each {
			pid, errno := cloneAndPipe(uintptr(os.Getpid()), each)
			if errno != 0 {
				return fmt.Errorf("clone, with %d pipes: %w", made, errno)
			}
			pids = append(pids, pid)
		}
		time.Sleep(watchdogTime)
		for _, pid := range pids {
			if !stillRuns(pid) {
				return errors.New("a child was ended")
			}
		}
		return nil
	})
}

// stillRuns reports whether a child has not ended.
func stillRuns(pid int) bool {
	ended, err := syscall.Wait4(pid, nil, syscall.WNOHANG|syscall.WALL, nil)
	return err == nil && ended == 0
}
