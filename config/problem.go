package config

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one mistake in a configuration.
type Problem struct {
	Line  int    // line in the file, from 1; 0 means no line
	Field string // path of the key: users[0].role; "" means the whole file
	Value string // the wrong value, for display; never a secret
	Want  string // the right value, in words

	Warning bool // the service starts anyway, but without the feature of the key
}

// ErrorList lists all problems of a configuration, in the order of lines. There is at least one
// problem.
type ErrorList struct {
	Source   string // name of the file as given, or description of another source
	Problems []Problem
}

// maxListedProblems is the maximum number of problems that Error lists. A file with more problems
// is no configuration.
const maxListedProblems = 50

// Error lists the problems, one on each line. An example: mews.yaml:3: users[0].role: got "boss",
// want admin or user.
func (e *ErrorList) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i == maxListedProblems {
			fmt.Fprintf(&b, "\n%s: and %d more", e.Source, len(e.Problems)-maxListedProblems)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Source + p.String())
	}
	return b.String()
}

// String formats the problem, without its source.
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

// errorList makes an error of problems; nil if there are none.
func errorList(source string, problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	return &ErrorList{Source: source, Problems: problems}
}
