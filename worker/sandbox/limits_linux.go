package sandbox

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// withDefaults fills in what is not said.
func (l Limits) withDefaults() Limits {
	return Limits{
		Memory: cmp.Or(l.Memory, 2<<30), Tmp: cmp.Or(l.Tmp, 256<<20), File: cmp.Or(l.File, 1<<30), PIDs: cmp.Or(l.PIDs, 512),
		Shared: l.Shared,
	}
}

// niceness is a worker's, and that of all it runs, as nice(1) has it: the supervisor, and the spawner that must count and end
// what has become too much, come first where no control group shares the processors out.
const niceness = 10

const maxFiles = 1024 // descriptors of one process: what select(2) and old programs expect

// sharedHeadroom is how many more processes and threads a shared account may come to have. It is no person's limit, which is
// for the spawner to keep: it is above that. It is what a program that doubles itself without end comes to before it is ended,
// and the spawner has to find its turn among them: with 600 on two processors it takes seconds to end all, with 1,500 it was
// not done in a minute.
const sharedHeadroom = 600

// setLimits sets those of this process but that of memory, for itself and all that it starts; nobody can raise them again.
func setLimits(l Limits) error {
	limits := []struct {
		name     string
		resource int
		most     int64
	}{
		{"files", unix.RLIMIT_NOFILE, maxFiles},
		{"processes", unix.RLIMIT_NPROC, int64(l.PIDs)},
		{"a file's size", unix.RLIMIT_FSIZE, l.File},
		{"core files", unix.RLIMIT_CORE, 0},
		{"locked memory", unix.RLIMIT_MEMLOCK, 64 << 10},
		{"message queues", unix.RLIMIT_MSGQUEUE, 0},
		{"pending signals", unix.RLIMIT_SIGPENDING, 4096},
	}
	for _, limit := range limits {
		if limit.resource == unix.RLIMIT_NPROC && l.Shared {
			limit.most = int64(countTasks("/proc", unix.Getuid()) + max(sharedHeadroom, l.PIDs))
		}
		if err := setLimit(limit.name, limit.resource, limit.most); err != nil {
			return err
		}
	}
	return lowerPriority()
}

// setLimit sets one, and raises none.
func setLimit(name string, resource int, most int64) error {
	var now unix.Rlimit
	if err := unix.Prlimit(0, resource, nil, &now); err != nil {
		return fmt.Errorf("read the limit of %s: %w", name, err)
	}
	least := min(uint64(most), now.Max)
	if err := unix.Prlimit(0, resource, &unix.Rlimit{Cur: least, Max: least}, nil); err != nil {
		return fmt.Errorf("limit %s to %d: %w", name, least, err)
	}
	return nil
}

// limitMemory is the last that is done before the worker is executed: this program, which ends with that, may have more
// already, and could do nothing from then on for which its runtime needs a page. The data segment is limited and not the
// address space, of which Go and Python reserve much more than they use.
func limitMemory(l Limits) error { return setLimit("data", unix.RLIMIT_DATA, l.Memory) }

// lowerPriority makes this thread, and all that it executes and starts, at least as nice as workers are.
func lowerPriority() error {
	now, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // 20 - nice, as the kernel has it: getpriority(2)
	if err == nil && 20-now < niceness {
		err = unix.Setpriority(unix.PRIO_PROCESS, 0, niceness)
	}
	if err != nil {
		return fmt.Errorf("yield to the supervisor: %w", err)
	}
	return nil
}

// countTasks counts the processes and threads of an account, as setrlimit(2) does, among those that can be seen: it is not an
// error that some are not. It has one buffer and makes plain calls, so that the runtime has no reason to start threads:
// the limits hold for this process too.
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

// statusNumber is the first number of a line of /proc/PID/status, -1 without one. A name in it has its line ends quoted.
func statusNumber(status []byte, key string) int {
	_, rest, found := bytes.Cut(status, []byte("\n"+key))
	if !found {
		return -1
	}
	rest = bytes.TrimLeft(rest, "\t ")
	end := bytes.IndexAny(rest, "\t \n")
	n, err := strconv.Atoi(string(rest[:max(end, 0)]))
	if err != nil {
		return -1
	}
	return n
}
