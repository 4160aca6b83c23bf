package pool

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"
)

// BrokenError says that a worker died so often that it is not started for a while.
type BrokenError struct {
	User  string
	Until time.Time // when one may be started again
	Last  error     // how the last one ended
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("worker for %s: ended too often, not started again before %s; the last time: %v",
		e.User, e.Until.Format(time.TimeOnly), e.Last)
}

func (e *BrokenError) Unwrap() error { return e.Last }

// RefusedError says that a worker is not started, because something is wrong with the person's
// folders or account, or with the programs.
type RefusedError struct {
	Reason   string // for people
	By       error  // what refused it, for the log
	Shortage bool   // of the machine
}

func (e *RefusedError) Error() string { return fmt.Sprintf("%v: %s", e.By, e.Reason) }

// EndError says how a worker process ended.
type EndError struct {
	User string
	// why it was ended, or what went wrong before it ended; nil where its status is all there is
	Reason error
	Status string   // "exit status 2", "signal: killed"; "" where it never ran, or nobody knows
	Stderr []string // the last lines of its standard error, escaped

	Shortage bool // it never ran, because the machine had no room for it: nobody's fault
}

func (e *EndError) Error() string {
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

func (e *EndError) Unwrap() error { return e.Reason }

// The reasons for which the pool ends a worker that has done nothing wrong. They do not count as
// deaths.
var (
	errIdle     = errors.New("not needed for a while")
	errOneShot  = errors.New("its work is done")
	errShutdown = errors.New("the service ends")
	errEvicted  = errors.New("its person is served no more")
)

// IsDeath says whether a worker's end is its own doing.
func IsDeath(reason error) bool {
	return !errors.Is(reason, errIdle) && !errors.Is(reason, errOneShot) && !errors.Is(reason, errShutdown) &&
		!errors.Is(reason, errEvicted)
}

// errSpawnerRefused is why a worker is not started that mews-spawner would not start.
var errSpawnerRefused = errors.New("mews-spawner refused it")

// LimitShortage is the kind of the limit that OnLimit is told of when a worker can't be started
// because the machine has no room for it.
const LimitShortage = "shortage"

// shortageTexts are what Go's runtime and this program write of an error that is a shortage
// (spawnwire.IsShortage), where nothing but text is left of it.
var shortageTexts = []string{
	"epollctl failed with 28", "epollcreate failed with 2", "failed to create new OS thread", "no space left on device",
	"resource temporarily unavailable", "too many open files", "cannot allocate memory",
}

func saysShortage(text string) bool {
	return slices.ContainsFunc(shortageTexts, func(s string) bool { return strings.Contains(text, s) })
}

var errSelfTestTime = errors.New("the worker that tries the walls takes too long")

// statusText is a wait status for people.
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
