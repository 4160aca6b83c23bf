package program

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Leftover processes get 20 ms to end by themselves, because some have just lost their pipe. Then
// they are killed, and get one second to disappear.
const (
	roundPause  = 5 * time.Millisecond
	graceRounds = 4
	killRounds  = 200
)

// process is a process as /proc/<pid>/stat describes it.
type process struct {
	pid     int
	dead    bool // the process has ended, but no process has waited for it
	session int
	began   string // start time in kernel ticks; a later process with the same pid has another start time
}

// KillLeftovers kills the program's remaining processes, and returns their number. Call it once,
// after Wait. By then each leftover is a child of this process, or a descendant of such a child. If
// no other program is left, KillLeftovers ends every process below this one.
func (c *Child) KillLeftovers() int {
	ended := map[int]bool{}
	for round := range graceRounds + killRounds {
		left := c.leftovers()
		if len(left) == 0 || round >= graceRounds && c.isOnlyOne() {
			break
		}
		for _, p := range left {
			if round >= graceRounds && p.kill() {
				ended[p.pid] = true
			}
		}
		time.Sleep(roundPause)
	}
	c.finish(ended)
	return len(ended)
}

// leftovers returns the program's processes that still run.
func (c *Child) leftovers() []process {
	var all []process
	orphans := childrenOf("self")
	// living is read after the orphans, so that it has every program that was started before the
	// orphans were listed
	living := c.living()
	for _, pid := range orphans {
		if living[pid] != "" {
			continue
		}
		if p, ok := readProcess(pid); ok && c.isDescendant(p, living) {
			all = append(all, withDescendants(p)...)
		}
	}
	return slices.DeleteFunc(all, func(p process) bool { return p.dead })
}

// isDescendant reports whether an orphan comes from the program, by its session or else by its
// mark. An orphan without a known session or mark is ended together with the last program.
func (c *Child) isDescendant(p process, living map[int]string) bool {
	if p.session == c.PID {
		return true
	}
	if living[p.session] != "" {
		return false
	}
	if mark := processMark(p.pid); mark != "" {
		return mark == c.mark
	}
	return len(living) == 0
}

// withDescendants returns a process and all its descendants.
func withDescendants(p process) []process {
	all := []process{p}
	for i := 0; i < len(all); i++ {
		for _, pid := range childrenOf(strconv.Itoa(all[i].pid)) {
			if below, ok := readProcess(pid); ok {
				all = append(all, below)
			}
		}
	}
	return all
}

// kill kills a process, unless its pid belongs to another process by now.
func (p process) kill() bool {
	held, err := os.FindProcess(p.pid) // the handle stays with this process, even if the pid passes to another process
	if err != nil {
		return false
	}
	defer held.Release()
	again, ok := readProcess(p.pid)
	return ok && again.began == p.began && held.Signal(syscall.SIGKILL) == nil
}

// childrenOf lists the children of a process; none if the process is gone.
func childrenOf(pid string) []int {
	threads, err := os.ReadDir("/proc/" + pid + "/task")
	if err != nil {
		return nil
	}
	var pids []int
	for _, thread := range threads {
		text, err := os.ReadFile("/proc/" + pid + "/task/" + thread.Name() + "/children")
		if err != nil {
			continue // the thread has ended meanwhile
		}
		for _, field := range bytes.Fields(text) {
			if pid, err := strconv.Atoi(string(field)); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func readProcess(pid int) (process, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	return parseStat(pid, string(text))
}

// parseStat parses a line of /proc/<pid>/stat (proc_pid_stat(5)). The name in the line may contain
// any character, even ")".
func parseStat(pid int, text string) (process, bool) {
	const state, session, began = 3, 6, 22 // positions of the fields in the line, as the manual numbers them
	end := strings.LastIndexByte(text, ')')
	if end < 0 {
		return process{}, false
	}
	fields := strings.Fields(text[end+1:])
	if len(fields) <= began-state {
		return process{}, false
	}
	sid, err := strconv.Atoi(fields[session-state])
	dead := strings.Contains("ZXx", fields[0])
	return process{pid: pid, dead: dead, session: sid, began: fields[began-state]}, err == nil
}

// processMark returns the mark in the environment that a process started with; "" if it has none.
func processMark(pid int) string {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return ""
	}
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if mark, ok := bytes.CutPrefix(v, []byte(RunMarkVariable+"=")); ok {
			return string(mark)
		}
	}
	return ""
}
