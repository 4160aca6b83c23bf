// Package escape is a table of attempts to get out of a worker's walls. Each row is one real
// attempt, made with the system calls that a hostile program would use, against victims outside.
// The walls were designed with these rows.
//
// A row says "escaped" only if the attempt succeeded: the secret was read, the signal delivered,
// the socket made, the limit exceeded. The tests also run the table without walls, to show that the
// attempts can succeed.
//
// The caller makes the victims, starts a process behind the walls for each row (a probe may die of
// what it tries), and makes that process call Try.
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

// Outcome is how an attempt ended.
type Outcome string

const (
	Stopped Outcome = "stopped" // something refused it
	Escaped Outcome = "escaped" // it got what it tried for
	// there was nothing to try it on; or, for X1, only the caller can tell
	Untried Outcome = "untried"
)

// Probe is a row of the table.
type Probe struct {
	Row   string // F1
	What  string // a few words
	Core  bool   // of the list that is tried at every start: quick, no bomb, leaves nothing behind
	Heavy bool   // a bomb: bounded, but not to be tried beside people's work
	// Watched: nothing refuses it; a spawner's watchdog ends it at one of its next looks.
	Watched bool
	Kernel  bool // the kernel stops an unprivileged process without walls too (measured on 6.18)

	// run makes the attempt. Nil, or an escaped: it escaped. A notTried: there was nothing to try.
	// Any other error says what stopped it.
	run func(Victims) error
}

// escaped is an escape that has more to say than that it was one.
type escaped string

func (g escaped) Error() string { return string(g) }

// notTried is why a row could not be tried.
type notTried string

func (u notTried) Error() string { return string(u) }

// Finding is what one attempt came to.
type Finding struct {
	Row     string
	Outcome Outcome
	Detail  string // what stopped it; what more there is to an escape
}

// Table is all rows, in the order in which they are shown.
func Table() []Probe {
	return slices.Concat(files(), processes(), sockets(), kernel(), identity(), inherited(), bombs(), exhaust(), others())
}

// Find is the row of that name.
func Find(row string) (Probe, bool) {
	table := Table()
	i := slices.IndexFunc(table, func(p Probe) bool { return p.Row == row })
	if i < 0 {
		return Probe{}, false
	}
	return table[i], true
}

// Try makes one attempt in this process. It may not return: a filter may kill the process, or the
// kernel when memory runs out. The end of the process is the answer then: see Died.
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

// Died is the finding for a row whose process ended before it could say anything: whatever killed
// it also stopped it.
func Died(row, how string) Finding {
	return Finding{Row: row, Outcome: Stopped, Detail: "the process died of it: " + how}
}

// describe is an error on one line, with the name of its number, which people can search for.
func describe(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ") // of errors.Join
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, unix.ErrnoName(errno))
}

// Encode makes one line of a finding, without a newline.
func (f Finding) Encode() string { return encode(f) }

// DecodeFinding reads what Finding.Encode wrote.
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
