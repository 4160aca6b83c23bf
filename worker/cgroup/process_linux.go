package cgroup

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// process is what Measure and KillDescendants want to know of /proc/PID/stat.
type process struct {
	dead      bool // it has ended, and was not reaped
	parent    int
	threads   int
	startTime string // in the kernel's ticks since it started; with the pid it names one process
	resident  int64  // bytes
}

// The fields of /proc/PID/stat, counted from the state, the first one after the name (proc_pid_stat(5)).
const (
	statState     = 0
	statParent    = 1
	statThreads   = 17
	statStartTime = 19
	statResident  = 21
)

// parseStat reads /proc/PID/stat. A program chooses its name, so it may hold spaces and parentheses; the last
// parenthesis is the kernel's.
func parseStat(text string, pageSize int64) (process, error) {
	end := strings.LastIndexByte(text, ')')
	fields := strings.Fields(text[end+1:])
	if end < 0 || len(fields) <= statResident {
		return process{}, fmt.Errorf("stat %.80q: too short", text)
	}
	parent, err := strconv.ParseUint(fields[statParent], 10, 31)
	if err != nil {
		return process{}, fmt.Errorf("stat: parent %.40q: %w", fields[statParent], err)
	}
	pages, err := strconv.ParseInt(fields[statResident], 10, 64)
	if err != nil {
		return process{}, fmt.Errorf("stat: resident pages %.40q: %w", fields[statResident], err)
	}
	threads, err := strconv.ParseUint(fields[statThreads], 10, 31)
	if err != nil {
		return process{}, fmt.Errorf("stat: threads %.40q: %w", fields[statThreads], err)
	}
	return process{
		dead: strings.Contains("ZXx", fields[statState]), parent: int(parent), threads: int(threads), startTime: fields[statStartTime],
		resident: min(max(pages, 0), math.MaxInt32) * pageSize,
	}, nil
}

// parseRollup reads /proc/PID/smaps_rollup: the fair share in memory and in swap, in bytes. A process without memory (a
// kernel's, or one that has ended and was not reaped) has an empty one.
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
