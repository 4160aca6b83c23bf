package sandbox

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// withDefaults replaces zeros by defaults.
func (l Limits) withDefaults() Limits {
	l.Memory, l.Tmp, l.File = cmp.Or(l.Memory, 2<<30), cmp.Or(l.Tmp, 256<<20), cmp.Or(l.File, 1<<30)
	l.PIDs = cmp.Or(l.PIDs, 512)
	return l
}

// niceness is the priority of a worker and its programs (nice(1)). The supervisor and the spawner
// must count and end greedy processes, so they get the processors first if no control group divides
// them.
const niceness = 10

// maxFiles bounds the descriptors of one process. Kernel objects that are counted for a
// whole account need descriptors: pipes, epoll instances, descriptors in flight between sockets.
// macOS gives programs 256.
const maxFiles = 256

// sharedHeadroom bounds the additional processes and threads of a shared account. It is not a
// user's limit, which is lower and enforced by the spawner. It bounds a program that forks without
// end, so that the spawner still gets processor time to end the program. On two processors, ending
// 600 processes takes seconds; 1,500 processes were not ended within a minute.
const sharedHeadroom = 600

// setLimits sets the limits of this process and all that it starts, except the memory limit. The
// limits cannot be raised again.
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

// boundInotify lowers the inotify limits of this process's own user namespace (namespaces(7),
// /proc/sys/user). Without its own user namespace the account's limit holds.
func boundInotify(p Plan) error {
	if p.UID >= 0 { // the account changes later, so this process still has the machine's namespaces
		return nil
	}
	for _, what := range []string{"instances", "watches"} {
		text := readFile(unix.AT_FDCWD, "/proc/sys/fs/inotify/max_user_"+what, make([]byte, 16))
		most, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			continue // this kernel has no inotify
		}
		if err := writeFile("/proc/sys/user/max_inotify_"+what, strconv.Itoa(max(most/inotifyShare, 1))); err != nil {
			return fmt.Errorf("bound the inotify %s: %w", what, err)
		}
	}
	return nil
}

// LimitParser limits this process, a parser, to memory bytes of data and to processor time.
// Afterwards the process can't write to any file. Call LimitParser before the parser reads
// anything.
func LimitParser(memory int64, processor time.Duration) error {
	for _, limit := range []struct {
		name     string
		resource int
		most     int64
	}{
		{"data", unix.RLIMIT_DATA, memory},
		{"processor time", unix.RLIMIT_CPU, int64(processor.Seconds())},
		{"a file's size", unix.RLIMIT_FSIZE, 0},
		{"files", unix.RLIMIT_NOFILE, 16},
		{"core files", unix.RLIMIT_CORE, 0},
	} {
		if err := setLimit(limit.name, limit.resource, limit.most); err != nil {
			return err
		}
	}
	return nil
}

// setLimit sets one limit. It never raises a limit.
func setLimit(name string, resource int, most int64) error {
	var now unix.Rlimit
	if err := unix.Prlimit(0, resource, nil, &now); err != nil {
		return fmt.Errorf("read the limit of %s: %w", name, err)
	}
	least := min(uint64(most), now.Max)
	return wrap(unix.Prlimit(0, resource, &unix.Rlimit{Cur: least, Max: least}, nil), "limit %s to %d", name, least)
}

// limitMemory sets the limit of memory, as the last step before the worker is executed. This
// program may have more memory already, and its runtime could get no page afterwards. The limit is
// on the data segment and not on the address space, because Go and Python reserve much more address
// space than they use.
func limitMemory(l Limits) error { return setLimit("data", unix.RLIMIT_DATA, l.Memory) }

// lowerPriority makes this thread, and all that it executes and starts, at least as nice as
// workers.
func lowerPriority() error {
	now, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // the call returns 20 minus the nice value: getpriority(2)
	if err == nil && 20-now < niceness {
		err = unix.Setpriority(unix.PRIO_PROCESS, 0, niceness)
	}
	return wrap(err, "lower the priority")
}

// countTasks counts the processes and threads of an account as setrlimit(2) does, as far as it can
// see them. It uses one buffer and plain system calls, so that the runtime starts no threads. The
// limits hold for this process too.
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

// statusNumber returns the first number in a line of /proc/PID/status; -1 if there is none. (A
// process's name cannot forge a line: the kernel escapes line ends in it.)
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
