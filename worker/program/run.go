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

// KillTimeout is how long RunToEnd waits for a killed program and its output before it gives up.
// Nobody can end a process that hangs in the kernel.
const KillTimeout = 5 * time.Second

var errNotEnding = errors.New("it was killed and does not end")

// RunOptions describes one run of a program to its end.
type RunOptions struct {
	Cmd *exec.Cmd
	// Start starts Cmd behind its own walls; nil means by the function of Children
	Start  func(cmd *exec.Cmd) error
	Output io.Writer // receives standard output, from one goroutine
	// Errors receives standard error, from another goroutine. nil sends it to Output, in the order
	// of writing.
	Errors       io.Writer
	Nice         int           // priority (nice(1)) from just after the start; 0 means this process's
	Grace        time.Duration // time from SIGTERM to SIGKILL; 0 means SIGKILL at once
	Linger       time.Duration // how long leftover processes may keep the output open
	TickInterval time.Duration // time between two calls of Tick
	Tick         func()        // hook during the run; nil means none
}

// RunToEnd runs a program until it ends. If ctx ends before, or a Writer fails, RunToEnd ends the
// program, and the error is ctx's cause or the Writer's. Cmd.ProcessState tells how the program
// ended. When RunToEnd returns, none of its processes is left; leftovers is the number of processes
// that RunToEnd had to end.
func (c *Children) RunToEnd(ctx context.Context, r RunOptions) (leftovers int, err error) {
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
	child, err := c.startBy(r.Cmd, r.Start)
	out.closeOurs()
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", r.Cmd.Path, err)
	}
	if r.Nice != 0 {
		// an error means that the program has ended, or already has a lower priority
		_ = syscall.Setpriority(syscall.PRIO_PGRP, child.PID, r.Nice)
	}
	out.copy()
	exited := make(chan error, 1)
	go func() { exited <- child.Wait() }()
	if err = child.watch(ctx, r, exited); errors.Is(err, errNotEnding) {
		out.stopReading()
		return 0, fmt.Errorf("end %s: %w", r.Cmd.Path, err)
	}
	leftovers = child.endLeftovers(out, r.Linger)
	return leftovers, cmp.Or(err, out.err())
}

// watch waits for the program's end, and ends it when ctx ends. Then the error is the cause of ctx.
func (c *Child) watch(ctx context.Context, r RunOptions, exited <-chan error) error {
	var ticks <-chan time.Time
	if r.Tick != nil {
		ticker := time.NewTicker(r.TickInterval)
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

// stop asks the program to end, and kills it after the grace.
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

// endLeftovers ends the processes that the program has left running, and reads the rest of its
// output. It waits for the last members of a pipeline, but a program in the background must not
// hold up the caller.
func (c *Child) endLeftovers(out *outputs, linger time.Duration) (ended int) {
	out.wait(linger)
	ended = c.KillLeftovers()
	if !out.wait(linger) {
		out.stopReading() // an unknown process still holds a pipe
	}
	return ended
}
