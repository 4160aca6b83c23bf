// Package escape is a table of attempts to escape from a worker's walls. Each row is one real
// attempt against victims outside, made with the system calls that a hostile program would use. The
// walls were designed with these rows.
//
// A row is "escaped" only if the attempt succeeded: the secret was read, the signal delivered, the
// socket made, the limit exceeded. The tests also run the table without walls, to show that the
// attempts can succeed.
//
// The caller makes the victims, and starts a process behind the walls for each row, because a probe
// may die from its attempt. That process calls TryProbe.
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
	OutcomeStopped Outcome = "stopped" // a wall refused the attempt
	OutcomeEscaped Outcome = "escaped" // the attempt succeeded
	// the victim was missing; for row X1, only the caller can tell the outcome
	OutcomeUntried Outcome = "untried"
)

// Probe is a row of the table.
type Probe struct {
	Row   string // name of the row, such as F1
	What  string // a few words about the attempt
	Core  bool   // tried at every start: the row is quick, is no bomb, and leaves nothing behind
	Heavy bool   // a bomb: bounded, but not for machines where people work
	// Program means that the attempt is made as a program of the worker, behind the second layer of
	// walls. The worker itself may do it.
	Program bool
	// Watched means that no wall refuses the attempt: a spawner's watchdog ends it within a few
	// sweeps.
	Watched bool
	Kernel  bool // the kernel stops an unprivileged process even without walls (measured on 6.18)

	// run makes the attempt. nil or an escapedError means an escape. A notTriedError means that the
	// victim was missing. Any other error tells what stopped the attempt.
	run func(Victims) error
}

// escapedError is an escape with details.
type escapedError string

func (g escapedError) Error() string { return string(g) }

// notTriedError is the reason why a row could not be tried.
type notTriedError string

func (u notTriedError) Error() string { return string(u) }

// Report is the result of one attempt.
type Report struct {
	Row     string
	Outcome Outcome
	Detail  string // cause that stopped the attempt, or details of an escape
}

// AllProbes returns all rows, in the order of display.
func AllProbes() []Probe {
	return slices.Concat(files(), histories(), processes(), sockets(), kernel(), identity(), inherited(), bombs(),
		exhaust(), others())
}

// FindProbe returns the row with this name.
func FindProbe(row string) (Probe, bool) {
	table := AllProbes()
	i := slices.IndexFunc(table, func(p Probe) bool { return p.Row == row })
	if i < 0 {
		return Probe{}, false
	}
	return table[i], true
}

// TryProbe makes one attempt in this process. A filter may kill the process, and so may the kernel
// when memory runs out. Then the end of the process is the answer: see NewDeathReport.
func TryProbe(row string, v Victims) Report {
	p, ok := FindProbe(row)
	if !ok {
		return Report{Row: row, Outcome: OutcomeUntried, Detail: "there is no such row"}
	}
	err := p.run(v)
	f := Report{Row: row, Outcome: OutcomeStopped}
	switch {
	case err == nil:
		f.Outcome = OutcomeEscaped
		return f
	case errors.As(err, new(escapedError)):
		f.Outcome = OutcomeEscaped
	case errors.As(err, new(notTriedError)):
		f.Outcome = OutcomeUntried
	}
	f.Detail = describe(err)
	return f
}

// NewDeathReport returns the report for a row whose process ended before it could answer. The cause
// of its end also stopped the attempt.
func NewDeathReport(row, how string) Report {
	return Report{Row: row, Outcome: OutcomeStopped, Detail: "the process died of it: " + how}
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
func (f Report) Encode() string { return encode(f) }

// DecodeReport reads a line of Report.Encode.
func DecodeReport(line string) (Report, error) {
	var f Report
	err := protocol.DecodeStrict([]byte(line), &f)
	if err == nil && f.Outcome != OutcomeStopped && f.Outcome != OutcomeEscaped && f.Outcome != OutcomeUntried {
		err = fmt.Errorf("there is no outcome %q", f.Outcome)
	}
	if err != nil {
		return Report{}, fmt.Errorf("decode a finding: %w", err)
	}
	return f, nil
}
