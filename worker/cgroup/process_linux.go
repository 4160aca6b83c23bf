package cgroup

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// process holds the values of /proc/PID/stat.
type process struct {
	dead      bool // the process has ended, with all its threads, and was not reaped
	parent    int
	threads   int
	startTime string // kernel ticks since boot; identifies a process together with the pid
	resident  int64  // resident memory of the process, in bytes
	processor string // kernel ticks of processor time of all threads, as user and in the kernel
}

// Fields of /proc/PID/stat, counted from the state, the first field after the name
// (proc_pid_stat(5)).
const (
	statState      = 0
	statParent     = 1
	statUserTime   = 11
	statSystemTime = 12
	statThreads    = 17
	statStartTime  = 19
	statResident   = 21
)

// parseStat reads /proc/PID/stat. A program chooses its own name, which may contain spaces and
// parentheses. The last parenthesis in the line ends the name.
func parseStat(text string, pageSize int64) (process, error) {
	end := strings.LastIndexByte(text, ')')
	fields := strings.Fields(text[end+1:])
	if end < 0 || len(fields) <= statResident {
		return process{}, fmt.Errorf("stat %.80q: too short", text)
	}
	var numbers [3]int64
	for i, f := range []struct {
		name string
		at   int
	}{{"parent", statParent}, {"threads", statThreads}, {"resident pages", statResident}} {
		n, err := strconv.ParseInt(fields[f.at], 10, 64)
		if err != nil {
			return process{}, fmt.Errorf("stat: %s %.40q: %w", f.name, fields[f.at], err)
		}
		numbers[i] = min(max(n, 0), math.MaxInt32)
	}
	return process{
		dead: strings.Contains("ZXx", fields[statState]) && numbers[1] <= 1, parent: int(numbers[0]), threads: int(numbers[1]),
		startTime: fields[statStartTime], resident: numbers[2] * pageSize,
		processor: fields[statUserTime] + " " + fields[statSystemTime],
	}, nil
}

// parseRollup reads /proc/PID/smaps_rollup: the proportional share of memory and of swap, in bytes.
// The file is empty for a process without memory: a kernel thread, or a process that has ended and
// was not reaped.
func parseRollup(text string) (int64, error) {
	var total int64
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(line, ":")
		if !ok || (name != "Pss" && name != "SwapPss") {
			continue
		}
		number, isKB := strings.CutSuffix(strings.TrimSpace(value), " kB")
		kB, err := strconv.ParseUint(number, 10, 40)
		if err != nil || !isKB {
			return 0, fmt.Errorf("smaps_rollup: line %.80q: want a number of kB", line)
		}
		total = min(total+int64(kB)<<10, 1<<60)
	}
	return total, nil
}
