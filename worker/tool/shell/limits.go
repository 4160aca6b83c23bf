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
	timeout    time.Duration // of a command that names none
	maxTimeout time.Duration // of any command
	grace      time.Duration // from SIGTERM to SIGKILL
	// for which leftover processes may hold the output after a command's end
	linger   time.Duration
	progress time.Duration // between two lines of progress

	head int   // bytes of an output's beginning that the model is told
	tail int   // bytes of its end
	kept int64 // bytes that are kept in a file of an output that is longer than both

	entries int // of the workspace that are compared to find out which files a script has changed

	terminals int           // open at once
	idle      time.Duration // without use before a terminal is closed
	quiet     time.Duration // without output before a terminal counts as quiet
	maxWait   time.Duration // of one wait for a terminal
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

// shellSignal is added to the signal that ended a shell's last program, to make the shell's own
// status (bash(1), EXIT STATUS).
const shellSignal = 128

// exceededFileSize tells whether a program, or the last one of a shell, was ended because a file
// became too large.
func exceededFileSize(state *os.ProcessState) bool {
	if state == nil {
		return false
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && (status.Signal() == syscall.SIGXFSZ || status.ExitStatus() == shellSignal+int(syscall.SIGXFSZ))
}

// tooLarge is the line for the model about that, "" where this process has no such limit.
func tooLarge() string {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit) != nil || limit.Cur > math.MaxInt64 {
		return ""
	}
	return "\nno file may be larger than " + amount.Bytes(int64(limit.Cur)) + "; one would have been"
}
