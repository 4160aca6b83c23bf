package pool

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"
)

// CrashLoopError reports that a worker died too often. No new worker starts for a while.
type CrashLoopError struct {
	User  string
	Until time.Time // when a new worker may be started
	Last  error     // how the last worker ended
}

func (e *CrashLoopError) Error() string {
	return fmt.Sprintf("worker for %s: ended too often, not started again before %s; the last time: %v",
		e.User, e.Until.Format(time.TimeOnly), e.Last)
}

func (e *CrashLoopError) Unwrap() error { return e.Last }

// StartRefusedError reports that a worker can't be started. The cause is the user's folders or
// account, or the programs.
type StartRefusedError struct {
	Reason   string // the reason, for people
	By       error  // the underlying error, for the log
	Shortage bool   // whether the machine has no room for the worker
}

func (e *StartRefusedError) Error() string { return fmt.Sprintf("%v: %s", e.By, e.Reason) }

// WorkerEndError reports how a worker process ended.
type WorkerEndError struct {
	User string
	// Reason is why the worker was ended, or what failed before its end. If it is nil, Status says
	// everything.
	Reason error
	Status string   // exit status as text, such as "signal: killed"; "" if the worker never ran or its end is unknown
	Stderr []string // the last lines of the worker's standard error, escaped

	Shortage bool // whether the worker never ran because the machine had no room for it
}

func (e *WorkerEndError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "worker for %s", e.User)
	if e.Reason != nil {
		fmt.Fprintf(&b, ": %v", e.Reason)
	}
	if e.Status != "" {
		fmt.Fprintf(&b, ": %s", e.Status)
	}
	if len(e.Stderr) > 0 {
		fmt.Fprintf(&b, "; it wrote last: %s", strings.Join(e.Stderr, " | "))
	}
	return b.String()
}

func (e *WorkerEndError) Unwrap() error { return e.Reason }

// Reasons to end a worker that has done nothing wrong. They do not count as deaths.
var (
	errIdle     = errors.New("not needed for a while")
	errOneShot  = errors.New("its work is done")
	errShutdown = errors.New("the service ends")
	errEvicted  = errors.New("its person is served no more")
	errOutdated = errors.New("its user's settings have changed")
)

// IsWorkerDeath reports whether a worker ended through its own fault.
func IsWorkerDeath(reason error) bool {
	return !errors.Is(reason, errIdle) && !errors.Is(reason, errOneShot) && !errors.Is(reason, errShutdown) &&
		!errors.Is(reason, errEvicted) && !errors.Is(reason, errOutdated)
}

// IsSpawnerLost reports whether a worker ended because mews-spawner did. That is not the worker's
// fault.
func IsSpawnerLost(reason error) bool { return errors.Is(reason, errSpawnerLost) }

// errSpawnerRefused means that mews-spawner refused to start a worker.
var errSpawnerRefused = errors.New("mews-spawner refused it")

// LimitMachineShortage is the kind of limit that OnLimit gets if the machine has no room for a
// worker.
const LimitMachineShortage = "shortage"

// shortageTexts are messages of Go's runtime and of spawnwire.IsShortage about a shortage. They
// identify a shortage if only the text of an error is left.
var shortageTexts = []string{
	"epollctl failed with 28", "epollcreate failed with 2", "failed to create new OS thread", "no space left on device",
	"resource temporarily unavailable", "too many open files", "cannot allocate memory",
}

func saysShortage(text string) bool {
	return slices.ContainsFunc(shortageTexts, func(s string) bool { return strings.Contains(text, s) })
}

var errSelfTestTime = errors.New("the worker that tries the walls takes too long")

// statusText describes a wait status for people.
func statusText(s syscall.WaitStatus) string {
	switch {
	case s.Exited():
		return fmt.Sprintf("exit status %d", s.ExitStatus())
	case s.Signaled() && s.CoreDump():
		return fmt.Sprintf("signal: %v (core dumped)", s.Signal())
	case s.Signaled():
		return fmt.Sprintf("signal: %v", s.Signal())
	}
	return fmt.Sprintf("wait status %#x", uint32(s))
}
