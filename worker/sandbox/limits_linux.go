package sandbox

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// withDefaults fills in what is 0.
func (l Limits) withDefaults() Limits {
	l.Memory, l.Tmp, l.File = cmp.Or(l.Memory, 2<<30), cmp.Or(l.Tmp, 256<<20), cmp.Or(l.File, 1<<30)
	l.PIDs = cmp.Or(l.PIDs, 512)
	return l
}

// niceness is that of a worker and all that it runs (nice(1)): the supervisor and the spawner,
// which must count and end what takes too much, come first where no control group shares out the
// processors.
const niceness = 10

// maxFiles is how many descriptors one process has. Kernel objects that are counted for a whole
// account are had by descriptors: pipes, epoll instances, what is in flight between sockets. 256 is
// what programs get on macOS.
const maxFiles = 256

// sharedHeadroom is how many more processes and threads a shared account may come to have. It is no
// person's limit: the spawner enforces that one, and it is lower. A program that doubles itself
// without end is stopped here until the spawner ends it, and the spawner must find its turn among
// those processes: with 600 on two processors it takes seconds to end all, with 1,500 it was not
// done in a minute.
const sharedHeadroom = 600

// setLimits sets the limits of this process and all that it starts, except that of memory. Nobody
// can raise them again.
func setLimits(l Limits) error {
	pids := int64(l.PIDs)
	if l.Shared {
		pids = int64(countTasks("/proc", unix.Getuid()) + max(sharedHeadroom, l.PIDs))
	}
	for _, limit := range []struct {
		name     string
		resource int
		most     int64
	}{
		{"files", unix.RLIMIT_NOFILE, maxFiles},
		{"processes", unix.RLIMIT_NPROC, pids},
		{"a file's size", unix.RLIMIT_FSIZE, l.File},
		{"core files", unix.RLIMIT_CORE, 0},
		{"locked memory", unix.RLIMIT_MEMLOCK, 64 << 10},
		{"message queues", unix.RLIMIT_MSGQUEUE, 0},
		{"pending signals", unix.RLIMIT_SIGPENDING, 4096},
	} {
		if err := setLimit(limit.name, limit.resource, limit.most); err != nil {
			return err
		}
	}
	return lowerPriority()
}

// inotifyShare is the part of an account's inotify instances and watches that one worker and its
// programs may have.
const inotifyShare = 8

// boundInotify lowers what may be watched in this process's own user namespace (namespaces(7),
// /proc/sys/user). Without one of its own there is the account's own bound.
func boundInotify(p Plan) error {
	if p.UID >= 0 { // these are the machine's namespaces: the account is changed later
		return nil
	}
	for _, what := range []string{"instances", "watches"} {
		text := readFile(unix.AT_FDCWD, "/proc/sys/fs/inotify/max_user_"+what, make([]byte, 16))
		most, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			continue // a kernel without inotify
		}
		if err := writeFile("/proc/sys/user/max_inotify_"+what, strconv.Itoa(max(most/inotifyShare, 1))); err != nil {
			return fmt.Errorf("bound the inotify %s: %w", what, err)
		}
	}
	return nil
}

// setLimit sets one limit. It never raises one.
func setLimit(name string, resource int, most int64) error {
	var now unix.Rlimit
	if err := unix.Prlimit(0, resource, nil, &now); err != nil {
		return fmt.Errorf("read the limit of %s: %w", name, err)
	}
	least := min(uint64(most), now.Max)
	return wrap(unix.Prlimit(0, resource, &unix.Rlimit{Cur: least, Max: least}, nil), "limit %s to %d", name, least)
}

// limitMemory is done last before the worker is executed: this program may have more memory
// already, and its runtime could get no page afterwards. It limits the data segment and not the
// address space, of which Go and Python reserve much more than they use.
func limitMemory(l Limits) error { return setLimit("data", unix.RLIMIT_DATA, l.Memory) }

// lowerPriority makes this thread, and all that it executes and starts, at least as nice as workers
// are.
func lowerPriority() error {
	now, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // 20 - nice: getpriority(2)
	if err == nil && 20-now < niceness {
		err = unix.Setpriority(unix.PRIO_PROCESS, 0, niceness)
	}
	return wrap(err, "lower the priority")
}

// countTasks counts the processes and threads of an account as setrlimit(2) does, as far as they
// can be seen. It uses one buffer and plain system calls, so that the runtime has no reason to
// start threads: the limits hold for this process too.
func countTasks(proc string, uid int) (n int) {
	dir, err := unix.Open(proc, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(dir)
	var names []string
	entries, buf := make([]byte, 16<<10), make([]byte, 4<<10)
	for {
		size, err := unix.ReadDirent(dir, entries)
		if err != nil || size <= 0 {
			return n
		}
		_, _, names = unix.ParseDirent(entries[:size], -1, names[:0])
		for _, name := range names {
			if name[0] < '1' || name[0] > '9' {
				continue
			}
			status := readFile(dir, name+"/status", buf)
			if statusNumber(status, "Uid:") == uid {
				n += max(statusNumber(status, "Threads:"), 0)
			}
		}
	}
}

// statusNumber is the first number of a line of /proc/PID/status, -1 without one. (A process's name
// cannot forge a line: the kernel escapes line ends in it.)
func statusNumber(status []byte, key string) int {
	_, rest, _ := bytes.Cut(status, []byte("\n"+key))
	rest = bytes.TrimLeft(rest, "\t ")
	end := bytes.IndexAny(rest, "\t \n")
	n, err := strconv.Atoi(string(rest[:max(end, 0)]))
	if err != nil {
		return -1
	}
	return n
}
