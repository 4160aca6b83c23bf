package shell

import (
	"cmp"
	"math"
	"os"
	"os/exec"
	"syscall"
	"time"

	"mews/protocol/amount"
)

// Limits are the bounds of the family. The zero value of each is its default.
type Limits struct {
	Timeout    time.Duration // of a command that names none: 2 minutes
	MaxTimeout time.Duration // of any command: 10 minutes
	Grace      time.Duration // from SIGTERM to SIGKILL: 2 s
	Linger     time.Duration // how long strays may hold the output after a command's end: 500 ms
	Progress   time.Duration // between two lines of progress: 500 ms

	Head int   // bytes of an output's beginning that are told: 1 MiB
	Tail int   // and of its end: 1 MiB
	Kept int64 // bytes of an output that are kept in a file where it is longer than both: 64 MiB

	Entries int // files that are looked at to find out which ones a script changed: 20,000

	Terminals int           // open at once: 4
	Idle      time.Duration // without use before a terminal is closed: 30 minutes
	Quiet     time.Duration // without output before a terminal counts as quiet: 300 ms
	MaxWait   time.Duration // of one wait for a terminal: 30 s
}

// defaultPath is where programs are looked for, the system's own folders only.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

func (o Options) withDefaults() Options {
	o.Path = cmp.Or(o.Path, defaultPath)
	o.Temp = cmp.Or(o.Temp, "/tmp")
	if o.Start == nil {
		o.Start = (*exec.Cmd).Start
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Limits = o.Limits.withDefaults()
	return o
}

func (l Limits) withDefaults() Limits {
	l.Timeout = cmp.Or(l.Timeout, 2*time.Minute)
	l.MaxTimeout = cmp.Or(l.MaxTimeout, 10*time.Minute)
	l.Grace = cmp.Or(l.Grace, 2*time.Second)
	l.Linger = cmp.Or(l.Linger, 500*time.Millisecond)
	l.Progress = cmp.Or(l.Progress, 500*time.Millisecond)
	l.Head = cmp.Or(l.Head, 1<<20)
	l.Tail = cmp.Or(l.Tail, 1<<20)
	l.Kept = cmp.Or(l.Kept, 64<<20)
	l.Entries = cmp.Or(l.Entries, 20_000)
	l.Terminals = cmp.Or(l.Terminals, 4)
	l.Idle = cmp.Or(l.Idle, 30*time.Minute)
	l.Quiet = cmp.Or(l.Quiet, 300*time.Millisecond)
	l.MaxWait = cmp.Or(l.MaxWait, 30*time.Second)
	return l
}

// shellSignal is what a shell's own status adds to the signal that ended its last program (bash(1), EXIT STATUS).
const shellSignal = 128

// exceededFileSize tells whether a program, or the last one of a shell, was ended for the size of a file.
func exceededFileSize(state *os.ProcessState) bool {
	if state == nil {
		return false
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && (status.Signal() == syscall.SIGXFSZ || status.ExitStatus() == shellSignal+int(syscall.SIGXFSZ))
}

// tooLarge is the line that tells of it, "" where this process has no such limit.
func tooLarge() string {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit) != nil || limit.Cur > math.MaxInt64 {
		return ""
	}
	return "\nno file may be larger than " + amount.Bytes(int64(limit.Cur)) + "; one would have been"
}
