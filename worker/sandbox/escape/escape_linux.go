// Package escape is a table of attempts to escape from a worker's walls. Each row is one real
// attempt against victims outside, made with the system calls that a hostile program would use. The
// walls were designed with these rows.
//
// A row is "escaped" only if the attempt succeeded: the secret was read, the signal delivered, the
// socket made, the limit exceeded. The tests also run the table without walls, to show that the
// attempts can succeed.
//
// The caller makes the victims, and starts a process behind the walls for each row, because a probe
// may die from its attempt. That process calls Try.
package escape

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"mews/protocol"
)

// Outcome is the result of an attempt.
type Outcome string

const (
	Stopped Outcome = "stopped" // a wall refused the attempt
	Escaped Outcome = "escaped" // the attempt succeeded
	// the victim was missing; for X1, only the caller can tell the outcome
	Untried Outcome = "untried"
)

// Probe is a row of the table.
type Probe struct {
	Row   string // name of the row, such as F1
	What  string // a few words about the attempt
	Core  bool   // tried at every start: the row is quick, is no bomb, and leaves nothing behind
	Heavy bool   // a bomb: bounded, but not for machines where people work
	// Watched means that no wall refuses the attempt: a spawner's watchdog ends it within a few
	// sweeps.
	Watched bool
	Kernel  bool // the kernel stops an unprivileged process even without walls (measured on 6.18)

	// run makes the attempt. nil or an escaped means an escape. A notTried means that the victim
	// was missing. Any other error tells what stopped the attempt.
	run func(Victims) error
}

// escaped is an escape with details.
type escaped string

func (g escaped) Error() string { return string(g) }

// notTried is the reason why a row could not be tried.
type notTried string

func (u notTried) Error() string { return string(u) }

// Finding is the result of one attempt.
type Finding struct {
	Row     string
	Outcome Outcome
	Detail  string // cause that stopped the attempt, or details of an escape
}

// Table returns all rows, in the order of display.
func Table() []Probe {
	return slices.Concat(files(), processes(), sockets(), kernel(), identity(), inherited(), bombs(), exhaust(), others())
}

// Find returns the row with this name.
func Find(row string) (Probe, bool) {
	table := Table()
	i := slices.IndexFunc(table, func(p Probe) bool { return p.Row == row })
	if i < 0 {
		return Probe{}, false
	}
	return table[i], true
}

// Try makes one attempt in this process. It may not return, because a filter may kill the process,
// or the kernel when memory runs out. Then the end of the process is the answer: see DeathFinding.
func Try(row string, v Victims) Finding {
	p, ok := Find(row)
	if !ok {
		return Finding{Row: row, Outcome: Untried, Detail: "there is no such row"}
	}
	err := p.run(v)
	f := Finding{Row: row, Outcome: Stopped}
	switch {
	case err == nil:
		f.Outcome = Escaped
		return f
	case errors.As(err, new(escaped)):
		f.Outcome = Escaped
	case errors.As(err, new(notTried)):
		f.Outcome = Untried
	}
	f.Detail = describe(err)
	return f
}

// DeathFinding returns the finding for a row whose process ended before it could answer. The cause
// of its end also stopped the attempt.
func DeathFinding(row, how string) Finding {
	return Finding{Row: row, Outcome: Stopped, Detail: "the process died of it: " + how}
}

// describe returns an error on one line, with the name of its number, which people can search for.
func describe(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ") // errors.Join puts each error on a separate line
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, unix.ErrnoName(errno))
}

// Encode formats a finding as one line, without a newline.
func (f Finding) Encode() string { return encode(f) }

// DecodeFinding reads a line of Finding.Encode.
func DecodeFinding(line string) (Finding, error) {
	var f Finding
	err := protocol.DecodeStrict([]byte(line), &f)
	if err == nil && f.Outcome != Stopped && f.Outcome != Escaped && f.Outcome != Untried {
		err = fmt.Errorf("there is no outcome %q", f.Outcome)
	}
	if err != nil {
		return Finding{}, fmt.Errorf("decode a finding: %w", err)
	}
	return f, nil
}
