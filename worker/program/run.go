package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"
)

// KillTimeout is how long a killed program and its output may take to end before they are given up.
// Nobody can end a process that hangs in the kernel.
const KillTimeout = 5 * time.Second

var errNotEnding = errors.New("it was killed and does not end")

// Run is one program to be run to its end.
type Run struct {
	Cmd    *exec.Cmd
	Output io.Writer // takes what it writes to standard output, from one goroutine
	// Errors takes what it writes to standard error, from another goroutine. nil: that goes to
	// Output, in the order in which it was written.
	Errors io.Writer
	Nice   int           // its priority (nice(1)) from just after its start; 0: this process's
	Grace  time.Duration // from SIGTERM to SIGKILL; 0: it is not asked first
	Linger time.Duration // for which processes that it leaves running may hold the output
	Every  time.Duration // between two calls of Tick
	Tick   func()        // nil: it is not called
}

// Run runs a program until it ends by itself. When ctx ends before, or a Writer fails, Run ends the
// program, and the error is ctx's cause or the Writer's. How the program has ended is in
// Cmd.ProcessState. Nothing is left of it when Run returns; leftovers is how many processes it left
// running, which were ended.
func (c *Children) Run(ctx context.Context, r Run) (leftovers int, err error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out, err := r.openOutputs(cancel)
	if err != nil {
		return 0, err
	}
	defer out.close()
	child, err := c.Start(r.Cmd)
	out.closeOurs()
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", r.Cmd.Path, err)
	}
	if r.Nice != 0 {
		// it has ended, or is nicer already
		_ = syscall.Setpriority(syscall.PRIO_PGRP, child.PID, r.Nice)
	}
	out.copy()
	exited := make(chan error, 1)
	go func() { exited <- child.Wait() }()
	if err = child.watch(ctx, r, exited); errors.Is(err, errNotEnding) {
		out.cut()
		return 0, fmt.Errorf("end %s: %w", r.Cmd.Path, err)
	}
	leftovers = child.endLeftovers(out, r.Linger)
	return leftovers, cmp.Or(err, out.err())
}

// watch waits for the program's end, and brings it about when ctx ends. Then the error is the cause
// of ctx.
func (c *Child) watch(ctx context.Context, r Run, exited <-chan error) error {
	var ticks <-chan time.Time
	if r.Tick != nil {
		ticker := time.NewTicker(r.Every)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for {
		select {
		case <-exited:
			return nil
		case <-ticks:
			r.Tick()
		case <-ctx.Done():
			return c.stop(ctx, r.Grace, exited)
		}
	}
}

// stop asks the program to end, and kills it if it does not within the grace.
func (c *Child) stop(ctx context.Context, grace time.Duration, exited <-chan error) error {
	for _, try := range []struct {
		signal syscall.Signal
		within time.Duration
	}{{syscall.SIGTERM, grace}, {syscall.SIGKILL, KillTimeout}} {
		if try.within == 0 {
			continue
		}
		c.Signal(try.signal)
		c.Signal(syscall.SIGCONT) // a suspended program cannot clean up
		select {
		case <-exited:
			return context.Cause(ctx)
		case <-time.After(try.within):
		}
	}
	return errNotEnding
}

// endLeftovers ends the processes that the program has left running and takes the rest of its
// output. It waits for the last members of a pipeline, but a program in the background must not
// keep its caller.
func (c *Child) endLeftovers(out *outputs, linger time.Duration) (ended int) {
	out.wait(linger)
	ended = c.KillLeftovers()
	if !out.wait(linger) {
		out.cut() // a process that is not known as the program's holds a pipe
	}
	return ended
}
