package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Held is what a process and its descendants hold of the pools that the kernel counts for a whole
// account, or for the machine.
type Held struct {
	Watches   int64 // of epoll and inotify
	Pipes     int64
	Terminals int64
}

// Shares of a pool that one worker may hold. 64 workers may each have their part of the watches and
// the terminals. Beyond its part of pipes an account has only small new ones (pipe(7)), so that
// nothing fails before all is taken.
const (
	watchShare = 64
	pipeShare  = 4
	pipePages  = 16 // of a new pipe
)

// inFlight is the part of the watches for which a descriptor counts that is under way between two
// sockets: what it is nobody can see. (A socket under way may have others in it, which are not
// counted.)
const inFlight = 32

// HeldLimits are how much of each pool a worker may hold on this machine. A limit of 0 is none.
func HeldLimits(proc string) Held {
	setting := func(name string) int64 {
		text, _ := os.ReadFile(proc + "/sys/" + name)
		n, _ := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
		return n
	}
	return Held{
		Watches:   setting("fs/epoll/max_user_watches") / watchShare,
		Pipes:     setting("fs/pipe-user-pages-soft") / pipePages / pipeShare,
		Terminals: setting("kernel/pty/max") / watchShare,
	}
}

// Beyond says which limit is exceeded, and how much is allowed; "": none.
func (h Held) Beyond(most Held) (what string, limit int64) {
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

// heldCount counts what some processes hold, until a limit is exceeded.
type heldCount struct {
	Held
	most      Held
	pipeMount []byte          // the line of fdinfo by which a pipe is known
	pipes     map[string]bool // by their inodes: each has two ends, and processes share them
	buf       []byte
}

func newHeldCount(most Held) (*heldCount, error) {
	mount, err := pipeMount()
	return &heldCount{most: most, pipeMount: mount, pipes: map[string]bool{}, buf: make([]byte, 64<<10)}, err
}

// pipeMount is the line that fdinfo has of every pipe and of nothing else: all are of one file
// system.
func pipeMount() ([]byte, error) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return nil, fmt.Errorf("make a pipe to know others by: %w", err)
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", pipe[0]))
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("mnt_id:")) {
			return line, err
		}
	}
	return nil, errors.Join(errors.New("know a pipe: fdinfo has no mnt_id"), err)
}

// add counts what a process has open. Threads share it, but a process whose first thread has ended
// has it in another's folder.
func (c *heldCount) add(proc *os.File, pid int, p process) {
	folder := strconv.Itoa(pid)
	if c.addFolder(proc, folder+"/fdinfo") || p.threads <= 1 {
		return
	}
	threads, dir := list(proc, folder+"/task")
	defer dir.Close()
	for _, tid := range threads {
		if c.addFolder(proc, folder+"/task/"+tid+"/fdinfo") {
			return
		}
	}
}

// addFolder counts what a folder of fdinfo lists, and says whether that was anything.
func (c *heldCount) addFolder(proc *os.File, folder string) bool {
	names, dir := list(proc, folder)
	defer dir.Close()
	for _, name := range names {
		if what, _ := c.Beyond(c.most); what != "" {
			break
		}
		c.addFile(dir, name)
	}
	return len(names) > 0
}

// list lists a folder. Nothing is in that of a process that has ended or may not be looked into;
// dir may be nil then.
func list(proc *os.File, folder string) (names []string, dir *os.File) {
	dir, err := openFolder(proc, folder)
	if err == nil {
		names, _ = dir.Readdirnames(-1)
	}
	return names, dir
}

// addFile counts what a descriptor stands for. Of an epoll the kernel writes a line for each watch,
// which may be many: it is read in pieces, and no longer than until there are too many.
func (c *heldCount) addFile(dir *os.File, name string) {
	fd, err := unix.Openat(int(dir.Fd()), name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	isPipe, kept := false, 0
	for {
		n, err := unix.Read(fd, c.buf[kept:])
		if n <= 0 || err != nil {
			return
		}
		text := c.buf[:kept+n]
		for end := bytes.IndexByte(text, '\n'); end >= 0; end = bytes.IndexByte(text, '\n') {
			c.addLine(text[:end+1], &isPipe)
			text = text[end+1:]
		}
		if kept = copy(c.buf, text); kept == len(c.buf) || c.most.Watches > 0 && c.Watches > c.most.Watches {
			return
		}
	}
}

// addLine counts one line of fdinfo (proc_pid_fdinfo(5)).
func (c *heldCount) addLine(line []byte, isPipe *bool) {
	key, value, _ := bytes.Cut(line, []byte(":"))
	switch string(key) {
	case "mnt_id":
		*isPipe = bytes.Equal(line, c.pipeMount)
	case "ino": // after mnt_id
		if inode := string(value); *isPipe && !c.pipes[inode] {
			c.pipes[inode] = true
			c.Pipes++
		}
	case "tfd", "inotify wd":
		c.Watches++
	case "tty-index":
		c.Terminals++
	case "scm_fds":
		n, _ := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 32)
		c.Watches += n * (c.most.Watches/inFlight + 1)
	}
}
