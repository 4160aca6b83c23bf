package config

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong in a configuration.
type Problem struct {
	Line  int    // in the file, from 1; 0 where it comes from no line
	Field string // its path: users[0].role; "" is the file as a whole
	Value string // what was found, ready to be read; never a secret
	Want  string // what would be right

	Warning bool // a service starts all the same, without what the value is for
}

// ErrorList is everything that is wrong in a configuration. There is at least one Problem, in the
// order of the lines.
type ErrorList struct {
	Source   string // the file as it was named, or another source of the values
	Problems []Problem
}

// maxShown is how many problems Error writes out. A file with more is no configuration.
const maxShown = 50

// Error is a line for each problem: mews.yaml:3: users[0].role: got "boss", want admin or user.
func (e *ErrorList) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i == maxShown {
			fmt.Fprintf(&b, "\n%s: and %d more", e.Source, len(e.Problems)-maxShown)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Source + p.String())
	}
	return b.String()
}

// String is the problem as it stands after the name of its source.
func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	fmt.Fprintf(&b, "got %s, want %s", p.Value, p.Want)
	return b.String()
}

// errorList makes the error of some problems; nil of none.
func errorList(source string, problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	return &ErrorList{Source: source, Problems: problems}
}
