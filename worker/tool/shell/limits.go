package shell

import (
	"cmp"
	"math"
	"os"
	"syscall"
	"time"

	"mews/protocol/amount"
	"mews/worker/program"
)

// limits are the bounds of the family.
type limits struct {
	timeout    time.Duration // time limit of a command that names no limit
	maxTimeout time.Duration // longest time limit that a command may name
	grace      time.Duration // time from SIGTERM to SIGKILL when a program is stopped
	// how long leftover processes may keep the output open after a command's end
	linger   time.Duration
	progress time.Duration // time between two lines that show progress

	head int   // bytes of an output's beginning for the model
	tail int   // bytes of an output's end for the model
	kept int64 // bytes of an output that a file keeps, if the output is longer than head and tail together

	entries int // maximum number of the workspace's files that are compared to find a script's changes

	terminals int           // number of terminals that may be open at once
	idle      time.Duration // time without use before a terminal is closed
	quiet     time.Duration // time without output before a terminal counts as quiet
	maxWait   time.Duration // longest time that one call waits for a terminal
}

var defaultLimits = limits{
	timeout: 2 * time.Minute, maxTimeout: 10 * time.Minute, grace: 2 * time.Second, linger: 500 * time.Millisecond,
	progress: 500 * time.Millisecond, head: 1 << 20, tail: 1 << 20, kept: 64 << 20, entries: 20_000, terminals: 4,
	idle: 30 * time.Minute, quiet: 300 * time.Millisecond, maxWait: 30 * time.Second,
}

func (o Options) withDefaults() Options {
	o.Path = cmp.Or(o.Path, program.DefaultPath)
	o.Temp = cmp.Or(o.Temp, "/tmp")
	o.limits = cmp.Or(o.limits, &defaultLimits)
	return o
}

// shellSignal is added to a signal's number in a shell's exit status, if the signal ended the
// shell's last program (bash(1), EXIT STATUS).
const shellSignal = 128

// exceededFileSize reports whether a program was ended because a file became too large. For a
// shell, the last program counts.
func exceededFileSize(state *os.ProcessState) bool {
	if state == nil {
		return false
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && (status.Signal() == syscall.SIGXFSZ || status.ExitStatus() == shellSignal+int(syscall.SIGXFSZ))
}

// tooLarge returns the line for the model about a file over the limit; "" if there is no limit.
func tooLarge() string {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit) != nil || limit.Cur > math.MaxInt64 {
		return ""
	}
	return "\nno file may be larger than " + amount.FormatBytes(int64(limit.Cur)) + "; one would have been"
}
