package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// ErrNoProgram is in the error of Run when the program is not installed.
var ErrNoProgram = errors.New("it is not installed")

// Program is a program that the worker runs for itself, not for a model. It starts in the workspace.
type Program struct {
	Name    string
	Args    []string
	Timeout time.Duration
	Memory  int64     // bytes of data that it may have; 0: as much as the walls allow
	Stdout  io.Writer // nil drops it. An error of its Write ends the program.
	Stderr  io.Writer // nil drops it, except for the last line, which is in the error
}

// limitData lowers the limit of its data segment, in KiB, and becomes the program that follows.
const limitData = `ulimit -d "$0" && exec "$@"`

// Run runs a program until it ends, its time is over or ctx ends. When it returns nothing of the program is left. The error is
// ErrNoProgram, context.DeadlineExceeded, the cause of ctx, the error of a Writer, or says how the program ended.
func (s *Shell) Run(ctx context.Context, p Program) error {
	path, found := s.find(p.Name)
	if !found {
		return fmt.Errorf("%s: %w", p.Name, ErrNoProgram)
	}
	args := p.Args
	if p.Memory > 0 {
		shell, err := s.shell()
		if err != nil {
			return err
		}
		path, args = shell, append([]string{"-c", limitData, strconv.FormatInt(p.Memory>>10, 10), path}, args...)
	}
	cmd := s.newCommand(s.home, s.variables(), path, args...)
	said := &lastLine{to: p.Stderr}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = p.Stdout, said, s.options.limits.linger
	err := s.programs.bounded(ctx, p.Timeout, func(ctx context.Context) error { return s.programs.see(ctx, cmd) })
	var exit *exec.ExitError
	switch {
	case errors.Is(err, errTimeout):
		return fmt.Errorf("%s: no end after %s: %w", p.Name, formatDuration(p.Timeout), context.DeadlineExceeded)
	case errors.As(err, &exit):
		return fmt.Errorf("%s: %s: %s", p.Name, statusOf(exit.ProcessState), oneLine(string(said.line)))
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // what it left running held its output, and has been ended
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

// see starts a program, sees it to its end and ends what it has left running. The error is that of its wait, or the cause of
// ctx if that has ended it.
func (r *programRunner) see(ctx context.Context, cmd *exec.Cmd) error {
	c, err := r.children.startChild(cmd)
	if err != nil {
		return err
	}
	var ended error // of the wait
	exited := make(chan error, 1)
	go func() {
		ended = c.wait()
		exited <- nil
	}()
	if err := r.watch(ctx, c, exited, func() {}); err != nil {
		c.killLeftovers()
		return err
	}
	c.killLeftovers()
	return ended
}

// lastLine passes an output on, and keeps the end of its last line that is not blank.
type lastLine struct {
	to   io.Writer // may be nil
	line []byte
}

func (l *lastLine) Write(p []byte) (int, error) {
	if text := strings.TrimSpace(string(p[max(0, len(p)-maxShown):])); text != "" {
		l.line = append(l.line[:0], text[bytes.LastIndexByte([]byte(text), '\n')+1:]...)
	}
	if l.to == nil {
		return len(p), nil
	}
	return l.to.Write(p)
}
