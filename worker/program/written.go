package program

import (
	"os"
	"strconv"
	"strings"
)

// WrittenBytes returns how many bytes this process and its programs have written to disks. It
// counts living and ended processes, as far as their counts can be read.
func WrittenBytes() (total int64) {
	all := []process{{pid: os.Getpid()}}
	for _, pid := range childrenOf("self") {
		if p, ok := readProcess(pid); ok {
			all = append(all, withDescendants(p)...)
		}
	}
	for _, p := range all {
		// an unreadable or ended process counts as 0 bytes
		text, _ := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/io")
		total += parseWritten(string(text))
	}
	return total
}

// parseWritten returns the written bytes in /proc/PID/io. It subtracts bytes that were dropped
// before they reached a disk (proc_pid_io(5)).
func parseWritten(text string) (n int64) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		number, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err != nil:
		case name == "write_bytes":
			n += number
		case name == "cancelled_write_bytes":
			n -= number
		}
	}
	return max(n, 0)
}
