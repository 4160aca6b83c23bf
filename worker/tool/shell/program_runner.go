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

// killTimeout is how long a killed program may take to end, and its output to close, before it is given up: a process that
// hangs in the kernel cannot be ended by anybody.
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

// runOutcome is what became of a job.
type runOutcome struct {
	status       string // "exit 0", "ended by a signal: killed", "timed out after 120 s"
	took         time.Duration
	leftovers    int  // processes that it left running, which were ended
	fileTooLarge bool // it was ended because a file would have become too large
	output       capturedOutput
}

// programRunner are the programs that are run to their end.
type programRunner struct {
	*environment
	ctx    context.Context // ends when they are closed
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup // added to only while not closed
}

// begin takes a place among what close waits for.
func (r *programRunner) begin() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed
	}
	r.running.Add(1)
	return nil
}

// close ends all of them and waits for it.
func (r *programRunner) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel(errClosed)
	r.running.Wait()
}

// run runs a program until it ends, its time is over or ctx ends; in the last case the error is ctx's cause. When it
// returns, nothing of the program is left.
func (r *programRunner) run(ctx context.Context, j programRun) (runOutcome, error) {
	if ctx.Err() != nil {
		return runOutcome{}, context.Cause(ctx)
	}
	if err := r.begin(); err != nil {
		return runOutcome{}, err
	}
	defer r.running.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(r.ctx, func() { cancel(errClosed) })()
	limited, done := context.WithTimeoutCause(ctx, j.timeout, errTimeout)
	defer done()

	began := r.options.Now()
	out, status, strays, err := r.execute(limited, j)
	took := r.options.Now().Sub(began)
	if err != nil && !errors.Is(err, errTimeout) {
		return runOutcome{}, err
	}
	if err != nil {
		status = "timed out after " + formatDuration(j.timeout)
	}
	return runOutcome{status: status, took: took, leftovers: strays, fileTooLarge: exceededFileSize(j.cmd.ProcessState), output: out}, nil
}

// execute starts the program and sees it through. The error is the cause of ctx where that ended the program, and what
// there is to say of it stands all the same.
func (r *programRunner) execute(ctx context.Context, j programRun) (out capturedOutput, status string, strays int, err error) {
	from, to, err := os.Pipe()
	if err != nil {
		return out, "", 0, fmt.Errorf("make a pipe for the output: %w", err)
	}
	defer from.Close()
	// One pipe for both: so what is written first comes first, whichever it goes to.
	j.cmd.Stdout, j.cmd.Stderr = to, to
	c, err := r.children.begin(j.cmd)
	_ = to.Close()
	if err != nil {
		return out, "", 0, fmt.Errorf("start %s: %w", j.cmd.Path, err)
	}
	output := &capture{limits: r.options.Limits, temp: r.temp}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		output.fill(from)
	}()
	exited := make(chan error, 1)
	go func() { exited <- c.wait() }()

	err = r.watch(ctx, c, exited, func() {
		if line := output.progressLine(); line != "" {
			j.progress(line)
		}
	})
	if errors.Is(err, errNotEnding) {
		_ = from.SetReadDeadline(time.Now())
		<-copied
		return output.finish(), "", 0, fmt.Errorf("end %s: %w", j.cmd.Path, err)
	}
	strays = r.endLeftovers(c, from, copied)
	if err != nil && !errors.Is(err, errTimeout) {
		output.discard() // who was to be told of it does not listen any more
	}
	return output.finish(), statusOf(j.cmd.ProcessState), strays, err
}

// watch waits for the program's end, and brings it about when ctx ends. The error is the cause of that.
func (r *programRunner) watch(ctx context.Context, c *child, exited <-chan error, tell func()) error {
	ticker := time.NewTicker(r.options.Limits.Progress)
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

// stop ends the program: it is asked first, and not for long.
func (r *programRunner) stop(ctx context.Context, c *child, exited <-chan error) error {
	for _, step := range []struct {
		signal syscall.Signal
		within time.Duration
	}{{syscall.SIGTERM, r.options.Limits.Grace}, {syscall.SIGKILL, killTimeout}} {
		c.signal(step.signal)
		c.signal(syscall.SIGCONT) // what is suspended cannot tidy up
		select {
		case <-exited:
			return context.Cause(ctx)
		case <-time.After(step.within):
		}
	}
	return errNotEnding
}

// endLeftovers ends what the program has left running, and takes the rest of its output. What comes of a pipeline's last
// members is waited for, but a program in the background must not keep its caller.
func (r *programRunner) endLeftovers(c *child, from *os.File, copied <-chan struct{}) (strays int) {
	select {
	case <-copied:
	case <-time.After(r.options.Limits.Linger):
	}
	strays = c.killLeftovers()
	select {
	case <-copied:
	case <-time.After(r.options.Limits.Linger):
		_ = from.SetReadDeadline(time.Now()) // a stray that is not known as the program's holds the pipe
		<-copied
	}
	return strays
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

// head are the lines above the output.
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
	if o.output.left != "" { // here too: the model may be shown no more than the first lines and the last
		b.WriteString("\noutput: " + o.output.left)
	}
	return b.String() + "\n"
}

// brief is the outcome in a few words.
func (o runOutcome) brief() string {
	return fmt.Sprintf("%s, %s, %s", o.status, amount.Of(o.output.lines, "line", "lines"), formatDuration(o.took))
}
