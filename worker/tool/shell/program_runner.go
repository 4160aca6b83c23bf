package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"mews/protocol/amount"
)

// killTimeout is how long a killed program and its output may take to end before they are given up. Nobody can end a process
// that hangs in the kernel.
const killTimeout = 5 * time.Second

var (
	errTimeout   = errors.New("timed out")
	errNotEnding = errors.New("it was killed and does not end")
)

// programRun is one program to be run to its end.
type programRun struct {
	cmd      *exec.Cmd
	timeout  time.Duration
	progress func(string)
}

// runOutcome says how a program has ended.
type runOutcome struct {
	status       string // "exit 0", "ended by a signal: killed", "timed out after 120 s"
	took         time.Duration
	leftovers    int  // processes that it left running, and which were ended
	fileTooLarge bool // it was ended because a file would have become too large
	output       capturedOutput
}

// programRunner runs programs to their end.
type programRunner struct {
	*environment
	ctx    context.Context // ends when the runner is closed
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup // added to only while not closed
}

// admit adds one to what close waits for.
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

// run runs a program until it ends, its time is over or ctx ends; in the last case the error is ctx's cause. When run returns
// nothing of the program is left.
func (r *programRunner) run(ctx context.Context, p programRun) (o runOutcome, err error) {
	began := r.options.Now()
	err = r.bounded(ctx, p.timeout, func(ctx context.Context) (err error) {
		o, err = r.execute(ctx, p)
		return err
	})
	o.took = r.options.Now().Sub(began)
	switch {
	case err == nil:
		o.status = statusOf(p.cmd.ProcessState)
	case errors.Is(err, errTimeout):
		o.status = "timed out after " + formatDuration(p.timeout)
	default:
		return runOutcome{}, err
	}
	o.fileTooLarge = exceededFileSize(p.cmd.ProcessState)
	return o, nil
}

// bounded does what the runner's close waits for. Its context ends with ctx, with the runner, and when the time is over; in the
// last case its cause is errTimeout.
func (r *programRunner) bounded(ctx context.Context, timeout time.Duration, do func(context.Context) error) error {
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

// execute starts the program and sees it through. The error is the cause of ctx if that has ended the program.
func (r *programRunner) execute(ctx context.Context, p programRun) (o runOutcome, err error) {
	from, to, err := os.Pipe()
	if err != nil {
		return o, fmt.Errorf("make a pipe for the output: %w", err)
	}
	defer from.Close()
	// Both go to one pipe, so that what is written first comes first.
	p.cmd.Stdout, p.cmd.Stderr = to, to
	c, err := r.children.startChild(p.cmd)
	_ = to.Close()
	if err != nil {
		return o, fmt.Errorf("start %s: %w", p.cmd.Path, err)
	}
	output := &capture{limits: r.options.limits, temp: r.temp}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		output.readFrom(from)
	}()
	exited := make(chan error, 1)
	go func() { exited <- c.wait() }()

	err = r.watch(ctx, c, exited, func() {
		if line := output.progressLine(); line != "" {
			p.progress(line)
		}
	})
	if errors.Is(err, errNotEnding) {
		_ = from.SetReadDeadline(time.Now())
		<-copied
		err = fmt.Errorf("end %s: %w", p.cmd.Path, err)
	} else {
		o.leftovers = r.endLeftovers(c, from, copied)
	}
	if err != nil && !errors.Is(err, errTimeout) {
		output.discard() // nobody will be told of it
	}
	o.output = output.finish()
	return o, err
}

// watch waits for the program's end, and brings it about when ctx ends. Then the error is the cause of ctx.
func (r *programRunner) watch(ctx context.Context, c *child, exited <-chan error, tell func()) error {
	ticker := time.NewTicker(r.options.limits.progress)
	defer ticker.Stop()
	for {
		select {
		case <-exited:
			return nil
		case <-ticker.C:
			tell()
		case <-ctx.Done():
			return r.stop(ctx, c, exited)
		}
	}
}

// stop asks the program to end, and kills it if it does not within the grace.
func (r *programRunner) stop(ctx context.Context, c *child, exited <-chan error) error {
	for _, try := range []struct {
		signal syscall.Signal
		within time.Duration
	}{{syscall.SIGTERM, r.options.limits.grace}, {syscall.SIGKILL, killTimeout}} {
		c.signal(try.signal)
		c.signal(syscall.SIGCONT) // a suspended program cannot clean up
		select {
		case <-exited:
			return context.Cause(ctx)
		case <-time.After(try.within):
		}
	}
	return errNotEnding
}

// endLeftovers ends the processes that the program has left running and takes the rest of its output. It waits for the last
// members of a pipeline, but a program in the background must not keep its caller.
func (r *programRunner) endLeftovers(c *child, from *os.File, copied <-chan struct{}) (ended int) {
	select {
	case <-copied:
	case <-time.After(r.options.limits.linger):
	}
	ended = c.killLeftovers()
	select {
	case <-copied:
	case <-time.After(r.options.limits.linger):
		_ = from.SetReadDeadline(time.Now()) // a process that is not known as the program's holds the pipe
		<-copied
	}
	return ended
}

// statusOf is how a program ended, in words.
func statusOf(state *os.ProcessState) string {
	if state == nil {
		return "ended in an unknown way"
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "ended by a signal: " + status.Signal().String()
	}
	return fmt.Sprintf("exit %d", state.ExitCode())
}

// head are the lines for the place above the output.
func (o runOutcome) head() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s", o.status, formatDuration(o.took))
	if o.leftovers > 0 {
		b.WriteString("\n" + amount.Of(o.leftovers, "background process was ended", "background processes were ended"))
	}
	if o.fileTooLarge {
		b.WriteString(tooLarge())
	}
	if o.output.total == 0 {
		b.WriteString("\nno output")
	}
	if o.output.left != "" { // here too, because the model may be shown no more than the first lines and the last
		b.WriteString("\noutput: " + o.output.left)
	}
	return b.String() + "\n"
}

// brief is the outcome in a few words.
func (o runOutcome) brief() string {
	return fmt.Sprintf("%s, %s, %s", o.status, amount.Of(o.output.lines, "line", "lines"), formatDuration(o.took))
}
