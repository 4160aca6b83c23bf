package pool

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxTree limits the processes of a worker that QuickUsageOf counts.
const maxTree = 4096

// QuickUsageOf returns the usage of one worker and its programs. Unlike ProcessUsageOf it reads
// only these processes. It needs a Linux that lists the children of a process (proc_pid_task(5));
// the usage is zero elsewhere, and if the process is gone.
func QuickUsageOf(pid int) (use ProcessUsage) {
	page := int64(os.Getpagesize())
	for left := []int{pid}; len(left) > 0 && use.Processes < maxTree; left = left[1:] {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", left[0]))
		fields := strings.Fields(string(text))
		if err != nil || len(fields) < 2 {
			continue // it has ended meanwhile
		}
		pages, _ := strconv.ParseInt(fields[1], 10, 64) // the kernel writes a number
		use.Memory, use.Processes = use.Memory+pages*page, use.Processes+1
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", left[0], left[0]))
		for _, child := range strings.Fields(string(children)) {
			if n, err := strconv.Atoi(child); err == nil {
				left = append(left, n)
			}
		}
	}
	return use
}
