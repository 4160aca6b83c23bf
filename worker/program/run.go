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

// KillTimeout is how long RunToEnd waits for the end of a killed program. Then it gives up, because
// nobody can end a process that hangs in the kernel.
const KillTimeout = 5 * time.Second

var errNotEnding = errors.New("it was killed and does not end")

// RunOptions describes one run of a program to its end.
type RunOptions struct {
	Cmd *exec.Cmd
	// Start starts Cmd behind walls of its own; nil means the start function of Children
	Start  func(cmd *exec.Cmd) error
	Output io.Writer // receives standard output; one goroutine writes to it
	// Errors receives standard error; another goroutine writes to it. nil sends standard error to
	// Output, in the order of writing.
	Errors       io.Writer
	Nice         int           // priority (nice(1)) from just after the start; 0 means the priority of this process
	Grace        time.Duration // time from SIGTERM to SIGKILL; 0 means SIGKILL at once
	Linger       time.Duration // how long leftover processes may keep the output open
	TickInterval time.Duration // time between two calls of the function Tick
	Tick         func()        // called at each TickInterval during the run; nil means no call
}

// RunToEnd runs a program until it ends. If ctx ends earlier or a Writer fails, RunToEnd ends the
// program, and returns ctx's cause or the Writer's error. Cmd.ProcessState tells how the program
// ended. When RunToEnd returns, no process of the program is left. leftovers is the number of
// processes that RunToEnd had to end.
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
		// an error means that the program has ended, or that its priority is already lower
		_ = syscall.Setpriority(syscall.PRIO_PGRP, child.PID, r.Nice)
	}
	out.copy()
	exited := make(chan error, 1)
	go func() { exited <- child.Wait() }()
	if err = child.watch(ctx, r, exited); errors.Is(err, errNotEnding) {
		go func() { // this goroutine ends when the program ends
			<-exited
			child.KillLeftovers()
		}()
		out.stopReading()
		return 0, fmt.Errorf("end %s: %w", r.Cmd.Path, err)
	}
	leftovers = child.endLeftovers(out, r.Linger)
	return leftovers, cmp.Or(err, out.err())
}

// watch waits for the program's end. If ctx ends, watch ends the program and returns the cause of
// ctx.
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

// stop asks the program to end, and kills it if it still runs after grace.
func (c *Child) stop(ctx context.Context, grace time.Duration, exited <-chan error) error {
	for _, try := range []struct {
		signal syscall.Signal
		within time.Duration
	}{{syscall.SIGTERM, grace}, {syscall.SIGKILL, KillTimeout}} {
		if try.within == 0 {
			continue
		}
		c.Signal(try.signal)
		c.Signal(syscall.SIGCONT) // a suspended program could not handle the signal
		select {
		case <-exited:
			return context.Cause(ctx)
		case <-time.After(try.within):
		}
	}
	return errNotEnding
}

// endLeftovers ends the processes that the program has left running, and reads the rest of its
// output. It gives the last members of a pipeline time to end. A program in the background must not
// delay the caller.
func (c *Child) endLeftovers(out *outputs, linger time.Duration) (ended int) {
	out.wait(linger)
	ended = c.KillLeftovers()
	if !out.wait(linger) {
		out.stopReading() // an unknown process still holds the other end of a pipe open
	}
	return ended
}
