package shell

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker/program"
)

var errTimeout = errors.New("timed out")

// programRun describes a program that runs to its end.
type programRun struct {
	cmd      *exec.Cmd
	timeout  time.Duration
	progress func(string)
}

// runOutcome describes the end of a program.
type runOutcome struct {
	status       string // how the program ended: "exit 0", "ended by a signal: killed", "timed out after 120 s"
	took         time.Duration
	leftovers    int  // number of the program's processes that still ran and were ended
	fileTooLarge bool // the program was ended because a file would have become too large
	output       capturedOutput
}

// programRunner runs programs to their end.
type programRunner struct {
	*environment
	terminals *terminals
	ctx       context.Context // context that ends when the runner is closed
	cancel    context.CancelCauseFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup // running programs; it grows only before the runner is closed
}

// admit adds one run that close must wait for.
func (r *programRunner) admit() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed
	}
	r.running.Add(1)
	return nil
}

// close ends all programs and waits for them.
func (r *programRunner) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel(errClosed)
	r.running.Wait()
}

// run runs a program until it ends, its time is over or ctx ends; if ctx ended, the error is ctx's
// cause. When run returns, no process of the program is left.
func (r *programRunner) run(ctx context.Context, p programRun) (o runOutcome, err error) {
	began := r.options.Now()
	err = r.runBounded(ctx, p.timeout, func(ctx context.Context) (err error) {
		o, err = r.execute(ctx, p)
		return err
	})
	o.took = r.options.Now().Sub(began)
	switch {
	case err == nil:
		o.status = program.DescribeExit(p.cmd.ProcessState)
	case errors.Is(err, errTimeout):
		o.status = "timed out after " + formatDuration(p.timeout)
	default:
		return runOutcome{}, err
	}
	o.fileTooLarge = exceededFileSize(p.cmd.ProcessState)
	return o, nil
}

// runBounded calls the function do. The method close waits until do has returned. The context of do
// ends with ctx, with the runner, and when the time is over; at a timeout its cause is errTimeout.
func (r *programRunner) runBounded(ctx context.Context, timeout time.Duration, do func(context.Context) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := r.admit(); err != nil {
		return err
	}
	defer r.running.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(r.ctx, func() { cancel(errClosed) })()
	limited, done := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer done()
	return do(limited)
}

// execute starts the program and waits for its end. If ctx ended the program, the error is ctx's
// cause.
func (r *programRunner) execute(ctx context.Context, p programRun) (o runOutcome, err error) {
	output, limits := &outputCapture{limits: r.options.limits, temp: r.temp}, r.options.limits
	o.leftovers, err = r.options.Programs.RunToEnd(ctx, program.RunOptions{
		Cmd: p.cmd, Output: output, Grace: limits.grace, Linger: limits.linger, TickInterval: limits.progress,
		Tick: func() {
			if line := output.progressLine(); line != "" {
				p.progress(line)
			}
		},
	})
	if err != nil && !errors.Is(err, errTimeout) {
		output.discard() // neither model nor user is told of the output
	}
	o.output = output.finish()
	return o, err
}

// head returns the lines above the output.
func (o runOutcome) head() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s", o.status, formatDuration(o.took))
	if o.leftovers > 0 {
		b.WriteString("\n" + amount.Plural(o.leftovers, "background process was ended", "background processes "+
			"were ended"))
	}
	if o.fileTooLarge {
		b.WriteString(tooLarge())
	}
	if o.output.total == 0 {
		b.WriteString("\nno output")
	}
	// also at the top, because the model may see only the first and last lines
	if o.output.left != "" {
		b.WriteString("\noutput: " + o.output.left)
	}
	return b.String() + "\n"
}

// brief returns the outcome in a few words.
func (o runOutcome) brief() string {
	return fmt.Sprintf("%s, %s, %s", o.status, amount.Plural(o.output.lines, "line", "lines"), formatDuration(o.took))
}

// change returns the change "a program was run", with the first words of its command.
func (o runOutcome) change(command string) protocol.Change {
	return ranChange(command, o.status+", "+formatDuration(o.took))
}

// ranChange returns the change "a program was run". It does not tell which files the program
// changed.
func ranChange(command, detail string) protocol.Change {
	return protocol.Change{Kind: "run", Target: oneLine(command), Detail: detail}
}
