package program

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// ErrNotInstalled is in the error of Runner.Run if the program is not installed.
var ErrNotInstalled = errors.New("it is not installed")

// Program is a program that the worker runs for itself, not for a model.
type Program struct {
	Name    string // a name in the environment's Path, or an absolute path
	Args    []string
	Env     []string // more variables
	Timeout time.Duration
	Memory  int64     // most bytes of data; 0 means as much as the walls allow
	Nice    int       // priority (nice(1)); 0 means the worker's
	Stdin   *os.File  // standard input; nil means empty
	Stdout  io.Writer // standard output; nil drops it. A Write error ends the program
	Stderr  io.Writer // standard error; nil keeps only the last line, for the error
}

// ExitError is the error of a program that did not end with status 0.
type ExitError struct {
	Name     string
	State    *os.ProcessState
	LastLine string // last line on standard error; "" if there is none
}

func (e *ExitError) Error() string {
	return strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", e.Name, DescribeExit(e.State), e.LastLine), ": ")
}

// Runner runs the worker's own programs. Any goroutine may use it.
type Runner struct {
	Children    *Children
	Environment Environment
}

// limitData is a shell script that limits its data segment, in KiB, and then executes a program.
const limitData = `ulimit -d "$0" && exec "$@"`

// forbidWrites is a shell script that keeps itself from making any file longer, and then executes a
// program.
const forbidWrites = `ulimit -f 0 && exec "$0" "$@"`

// ForbidWrites keeps a command that has not started from making any file longer. The same holds for
// all that it will start.
func ForbidWrites(cmd *exec.Cmd) {
	cmd.Args = append([]string{"sh", "-c", forbidWrites, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
}

// linger is how long a program's leftover processes may keep its output open.
const linger = 500 * time.Millisecond

// Run runs a program until it ends, its time is over or ctx ends. When Run returns, none of the
// program's processes is left. The error is ErrNotInstalled, context.DeadlineExceeded, the cause of
// ctx, the error of a Writer, or an *ExitError.
func (r *Runner) Run(ctx context.Context, p Program) error {
	path, found := r.Environment.FindProgram(p.Name)
	if !found {
		return fmt.Errorf("%s: %w", p.Name, ErrNotInstalled)
	}
	args := p.Args
	if p.Memory > 0 {
		path, args = "/bin/sh", append([]string{"-c", limitData, strconv.FormatInt(p.Memory>>10, 10), path}, args...)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = r.Environment.Home, r.Environment.Variables(p.Env...)
	if p.Stdin != nil {
		cmd.Stdin = p.Stdin
	}
	said := &lastLineWriter{to: p.Stderr}
	limited, cancel := context.WithTimeoutCause(ctx, p.Timeout, fmt.Errorf("no end after %s: %w", p.Timeout, context.DeadlineExceeded))
	defer cancel()
	_, err := r.Children.RunToEnd(limited, RunOptions{
		Cmd: cmd, Output: cmp.Or[io.Writer](p.Stdout, io.Discard), Errors: said, Nice: p.Nice, Linger: linger,
	})
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", p.Name, err)
	case !cmd.ProcessState.Success():
		return &ExitError{Name: p.Name, State: cmd.ProcessState, LastLine: string(bytes.ToValidUTF8(said.line, nil))}
	}
	return nil
}

// maxLine bounds the last line, in bytes.
const maxLine = 200

// lastLineWriter passes an output on, and keeps the end of its last line that is not blank.
type lastLineWriter struct {
	to   io.Writer // receiver of the output; may be nil
	line []byte
}

func (l *lastLineWriter) Write(p []byte) (int, error) {
	if text := bytes.TrimSpace(p[max(0, len(p)-maxLine):]); len(text) > 0 {
		l.line = append(l.line[:0], text[bytes.LastIndexByte(text, '\n')+1:]...)
	}
	if l.to == nil {
		return len(p), nil
	}
	return l.to.Write(p)
}
