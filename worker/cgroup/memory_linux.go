package cgroup

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// memoryUse is the memory of a process as its status tells it.
type memoryUse struct {
	pid      int
	resident int64 // resident and swapped bytes, with shared pages
	kernel   int64 // bytes of the process's page tables and sockets in the kernel
}

// socketBytes is the most that a socket can hold: net.core.wmem_default. No program can set another
// size.
var socketBytes = readSocketBytes("/proc")

func readSocketBytes(proc string) int64 {
	text, _ := os.ReadFile(proc + "/sys/net/core/wmem_default")
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n <= 0 {
		return 212_992 // the default of the kernel, if the file can't be read
	}
	return n
}

// readMemoryUse reads /proc/PID/status, which everybody may read. For a process that has ended it
// returns the values of p.
func readMemoryUse(proc *os.File, pid int, p process) memoryUse {
	text, _ := read(proc, strconv.Itoa(pid)+"/status")
	use := parseStatusMemory(text)
	use.pid, use.resident = pid, max(use.resident, p.resident)
	return use
}

// parseStatusMemory reads the memory of a process from /proc/PID/status (proc_pid_status(5)). A
// process's name cannot forge a line: the kernel escapes line ends in it.
func parseStatusMemory(text string) (use memoryUse) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		number, isKB := strings.CutSuffix(strings.TrimSpace(value), " kB")
		kB, err := strconv.ParseUint(strings.TrimSpace(number), 10, 40)
		if err != nil || !isKB {
			continue
		}
		switch name {
		case "VmRSS", "VmSwap":
			use.resident += int64(kB) << 10
		case "VmPTE":
			use.kernel += int64(kB) << 10
		}
	}
	return use
}

// ownFileSystems are the paths at which a worker may have file systems in memory.
var ownFileSystems = []string{"/tmp", "/dev/shm"}

// tmpfsBytes returns the bytes in the in-memory file systems of process pid. It leaves out those
// that this process has too, so only a worker with its own mounts has any.
func tmpfsBytes(proc *os.File, pid int) (total int64) {
	seen := map[uint64]bool{}
	for _, path := range ownFileSystems {
		var st unix.Stat_t
		if unix.Stat(path, &st) == nil {
			seen[uint64(st.Dev)] = true
		}
	}
	for _, path := range ownFileSystems {
		// O_PATH and O_NOFOLLOW: nothing is opened that could make this process wait
		name := strconv.Itoa(pid) + "/root" + path
		fd, err := unix.Openat(int(proc.Fd()), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // the process has ended, or belongs to another account
		}
		var st unix.Stat_t
		var fs unix.Statfs_t
		if unix.Fstat(fd, &st) == nil && !seen[uint64(st.Dev)] && unix.Fstatfs(fd, &fs) == nil &&
			fs.Type == unix.TMPFS_MAGIC {
			seen[uint64(st.Dev)] = true
			total += (int64(fs.Blocks) - int64(fs.Bfree)) * fs.Bsize
		}
		_ = unix.Close(fd)
	}
	return total
}
