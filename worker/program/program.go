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
	"runtime"
	"strconv"
	"strings"
	"time"
)

// ErrNotInstalled is wrapped by the error of Runner.Run if the program is not installed.
var ErrNotInstalled = errors.New("it is not installed")

// Program is a program that the worker runs for itself, not for a model.
type Program struct {
	Name string // name in the environment's Path, or absolute path
	// Parser runs the worker's own program, behind walls without any folder. Then Name is only for
	// errors. The parser gets no environment variable, and must limit its memory itself.
	Parser bool
	// Reader runs a program of the system that reads a file of others from Stdin, behind walls
	// without the user's folders.
	Reader  bool
	Args    []string
	Env     []string // environment variables beyond those of every program
	Timeout time.Duration
	Memory  int64     // maximum size of the data segment, in bytes; 0 means as much as the walls allow
	Nice    int       // priority (nice(1)); 0 means the priority of the worker
	Stdin   *os.File  // standard input of the program; nil means empty
	Stdout  io.Writer // receives standard output; nil drops it; if a Write fails, the program is ended
	Stderr  io.Writer // receives standard error; nil keeps only the last line, for the error
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
	StartParser func(cmd *exec.Cmd) error // starts a parser behind its walls
	StartReader func(cmd *exec.Cmd) error // starts a reader behind its walls
}

// limitData is a shell script that limits the size of its data segment, in KiB. Then it executes a
// program.
const limitData = `ulimit -d "$0" && exec "$@"`

// forbidWrites is a shell script that forbids itself to make any file longer. Then it executes a
// program.
const forbidWrites = `ulimit -f 0 && exec "$0" "$@"`

// ForbidWrites keeps a command from making any file longer. The same holds for all programs that
// the command starts. Call it before the command starts.
func ForbidWrites(cmd *exec.Cmd) {
	cmd.Args = append([]string{"sh", "-c", forbidWrites, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
}

// linger is how long a program's leftover processes may keep its output open.
const linger = 500 * time.Millisecond

// Run runs a program until the program ends, its time is over or ctx ends. When Run returns, no
// process of the program is left. The error is ErrNotInstalled, context.DeadlineExceeded, the cause
// of ctx, the error of a Writer, or an *ExitError.
func (r *Runner) Run(ctx context.Context, p Program) error {
	o := RunOptions{Output: cmp.Or[io.Writer](p.Stdout, io.Discard), Nice: p.Nice, Linger: linger}
	var err error
	if o.Cmd, err = r.command(p); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	switch {
	case p.Parser:
		o.Start = r.StartParser
	case p.Reader:
		o.Start = r.StartReader
	}
	cmd := o.Cmd
	if p.Stdin != nil {
		cmd.Stdin = p.Stdin
	}
	said := &lastLineWriter{to: p.Stderr}
	limited, cancel := context.WithTimeoutCause(ctx, p.Timeout, fmt.Errorf("no end after %s: %w", p.Timeout, context.DeadlineExceeded))
	defer cancel()
	o.Errors = said
	switch _, err := r.Children.RunToEnd(limited, o); {
	case err != nil:
		return fmt.Errorf("%s: %w", p.Name, err)
	case !cmd.ProcessState.Success():
		return &ExitError{Name: p.Name, State: cmd.ProcessState, LastLine: said.line()}
	}
	return nil
}

// command returns the command of a program, without its input and outputs.
func (r *Runner) command(p Program) (*exec.Cmd, error) {
	if p.Parser {
		self, err := ownProgram()
		cmd := exec.Command(self, p.Args...)
		cmd.Dir, cmd.Env = "/", []string{}
		return cmd, err
	}
	path, found := r.Environment.FindProgram(p.Name)
	if !found {
		return nil, ErrNotInstalled
	}
	args := p.Args
	if p.Memory > 0 {
		path, args = "/bin/sh", append([]string{"-c", limitData, strconv.FormatInt(p.Memory>>10, 10), path}, args...)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = r.Environment.Home, r.Environment.Variables(p.Env...)
	if p.Reader {
		cmd.Dir = "/"
	}
	return cmd, nil
}

// ownProgram returns a path of this process's program. Behind the walls, /proc/self/exe is the only
// path to a worker's program.
func ownProgram() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// maxLine is the maximum length of the last line, in bytes.
const maxLine = 200

// lastLineWriter passes an output on to another Writer, and keeps the end of the output.
type lastLineWriter struct {
	to  io.Writer // receiver of the output; may be nil
	end []byte    // last bytes of the output, at most twice maxLine
}

func (l *lastLineWriter) Write(p []byte) (int, error) {
	l.end = append(l.end, p[max(0, len(p)-2*maxLine):]...)
	l.end = l.end[max(0, len(l.end)-2*maxLine):]
	if l.to == nil {
		return len(p), nil
	}
	return l.to.Write(p)
}

// line returns the last line that is not blank, cut to maxLine.
func (l *lastLineWriter) line() string {
	text := bytes.TrimSpace(l.end)
	text = text[bytes.LastIndexByte(text, '\n')+1:]
	return string(bytes.ToValidUTF8(text[max(0, len(text)-maxLine):], nil))
}
