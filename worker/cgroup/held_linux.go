package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// PoolCounts tells how much a process and its descendants take from pools. A kernel pool is a
// resource that the kernel counts for a whole account, or for the machine.
type PoolCounts struct {
	Watches   int64 // number of entries that epoll and inotify watch
	Pipes     int64
	Terminals int64
}

// Shares of a pool that one worker may hold, so that 64 workers can share the watches and the
// terminals. Beyond its share an account only gets small new pipes (pipe(7)), so no call fails
// before the pool is used up.
const (
	watchShare = 64
	pipeShare  = 4
	pipePages  = 16 // size of a new pipe, in pages of memory
)

// inFlight is how many watches count for a descriptor that was sent through a socket and not
// received yet. The kernel does not show the type of such a descriptor. (A sent socket may carry
// other descriptors, which are not counted.)
const inFlight = 32

// ReadPoolLimits returns the limits of one worker for each pool; 0 means no limit.
func ReadPoolLimits(proc string) PoolCounts {
	setting := func(name string) int64 {
		text, _ := os.ReadFile(proc + "/sys/" + name)
		n, _ := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
		return n
	}
	return PoolCounts{
		Watches:   setting("fs/epoll/max_user_watches") / watchShare,
		Pipes:     setting("fs/pipe-user-pages-soft") / pipePages / pipeShare,
		Terminals: setting("kernel/pty/max") / watchShare,
	}
}

// FindExceededPool compares the counts of h with the limits in most. It returns a pool whose limit
// is exceeded, and that limit. The pool "" means that no limit is exceeded.
func (h PoolCounts) FindExceededPool(most PoolCounts) (what string, limit int64) {
	for _, pool := range []struct {
		what       string
		held, most int64
	}{{"watches", h.Watches, most.Watches}, {"pipes", h.Pipes, most.Pipes}, {"terminals", h.Terminals, most.Terminals}} {
		if pool.most > 0 && pool.held > pool.most {
			return pool.what, pool.most
		}
	}
	return "", 0
}

// poolCounter counts what some processes take from the pools, until a limit is exceeded.
type poolCounter struct {
	PoolCounts
	most      PoolCounts
	pipeMount []byte          // line of fdinfo that identifies a pipe
	pipes     map[string]bool // counted pipes by inode, because a pipe has two ends and processes share them
	// socketMount is the line of fdinfo by which a socket is known. socketCount also counts
	// descriptors that were sent through a socket and not received yet.
	socketMount []byte
	sockets     map[string]bool
	socketCount int64
	buf         []byte
}

func newHeldCount(most PoolCounts) (*poolCounter, error) {
	mounts, err := kernelMounts()
	return &poolCounter{most: most, pipeMount: mounts.pipes, pipes: map[string]bool{}, socketMount: mounts.sockets,
		sockets: map[string]bool{}, buf: make([]byte, 64<<10)}, err
}

// mountLines are lines of fdinfo with mount ids of the kernel's own file systems. They never
// change.
type mountLines struct{ pipes, sockets []byte }

// knownMounts keeps the mountLines once kernelMounts has found them.
var knownMounts atomic.Pointer[mountLines]

// kernelMounts finds the mountLines, by opening a pipe and a socket of this process.
func kernelMounts() (m mountLines, err error) {
	if known := knownMounts.Load(); known != nil {
		return *known, nil
	}
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return m, fmt.Errorf("make a pipe to know others by: %w", err)
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return m, fmt.Errorf("make a socket to know others by: %w", err)
	}
	defer unix.Close(socket)
	if m.pipes, err = mountLine(pipe[0]); err == nil {
		m.sockets, err = mountLine(socket)
	}
	if err == nil {
		knownMounts.Store(&m)
	}
	return m, err
}

// mountLine returns the line in fdinfo with the mount id of a descriptor's file system. All pipes
// share one line, which no other file has. All sockets share another line.
func mountLine(fd int) ([]byte, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", fd))
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("mnt_id:")) {
			return line, err
		}
	}
	return nil, errors.Join(errors.New("know a file system: fdinfo has no mnt_id"), err)
}

// add counts the open descriptors of a process. Its threads share them. If the first thread has
// ended, the descriptors are in another thread's folder.
func (c *poolCounter) add(proc *os.File, pid int, p process) {
	folder := strconv.Itoa(pid)
	if c.addFolder(proc, folder+"/fdinfo") || p.threads <= 1 {
		return
	}
	threads, dir := listFolder(proc, folder+"/task")
	defer dir.Close()
	for _, tid := range threads {
		if c.addFolder(proc, folder+"/task/"+tid+"/fdinfo") {
			return
		}
	}
}

// addFolder counts the entries of an fdinfo folder, and reports whether there were any.
func (c *poolCounter) addFolder(proc *os.File, folder string) bool {
	names, dir := listFolder(proc, folder)
	defer dir.Close()
	for _, name := range names {
		if what, _ := c.FindExceededPool(c.most); what != "" {
			break
		}
		c.addFile(dir, name)
	}
	return len(names) > 0
}

// listFolder lists a folder. The folder of an ended or unreadable process is empty, and dir may
// then be nil.
func listFolder(proc *os.File, folder string) (names []string, dir *os.File) {
	dir, err := openFolder(proc, folder)
	if err == nil {
		names, _ = dir.Readdirnames(-1)
	}
	return names, dir
}

// addFile counts the resources of a descriptor. For an epoll the kernel writes a line for each
// watch, which may be many. So addFile reads it in pieces, until a limit is exceeded.
func (c *poolCounter) addFile(dir *os.File, name string) {
	fd, err := unix.Openat(int(dir.Fd()), name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var kind kindOfFile
	kept := 0
	for {
		n, err := unix.Read(fd, c.buf[kept:])
		if n <= 0 || err != nil {
			return
		}
		text := c.buf[:kept+n]
		for end := bytes.IndexByte(text, '\n'); end >= 0; end = bytes.IndexByte(text, '\n') {
			c.addLine(text[:end+1], &kind)
			text = text[end+1:]
		}
		if kept = copy(c.buf, text); kept == len(c.buf) || c.most.Watches > 0 && c.Watches > c.most.Watches {
			return
		}
	}
}

// kindOfFile is the kind of a descriptor's file, as far as the pools need it.
type kindOfFile int

const (
	otherFile kindOfFile = iota
	pipeFile
	socketFile
)

// addLine counts one line of fdinfo (proc_pid_fdinfo(5)).
func (c *poolCounter) addLine(line []byte, kind *kindOfFile) {
	key, value, _ := bytes.Cut(line, []byte(":"))
	switch string(key) {
	case "mnt_id":
		switch {
		case bytes.Equal(line, c.pipeMount):
			*kind = pipeFile
		case bytes.Equal(line, c.socketMount):
			*kind = socketFile
		}
	case "ino": // the inode follows the line with the mount id
		switch inode := string(value); {
		case *kind == pipeFile && !c.pipes[inode]:
			c.pipes[inode] = true
			c.Pipes++
		case *kind == socketFile && !c.sockets[inode]:
			c.sockets[inode] = true
			c.socketCount++
		}
	case "tfd", "inotify wd":
		c.Watches++
	case "tty-index":
		c.Terminals++
	case "scm_fds":
		n, _ := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 32)
		c.Watches += n * (c.most.Watches/inFlight + 1)
		c.socketCount += n
	}
}
