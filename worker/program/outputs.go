package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// outputs are the pipes to which a program writes.
type outputs struct {
	pipes  []*pipe
	failed context.CancelCauseFunc // ends the run with the error of a Writer
	copied chan struct{}           // closed when all output was read and no process can write any more
}

type pipe struct {
	from, end *os.File // ends of the pipe: from is for this process to read, end for the program to write
	to        io.Writer
	err       error // error of a write to the Writer; valid once copied is closed
}

// openOutputs makes a program's output pipes.
func (r RunOptions) openOutputs(failed context.CancelCauseFunc) (*outputs, error) {
	out := &outputs{failed: failed, copied: make(chan struct{})}
	for _, to := range []io.Writer{r.Output, r.Errors} {
		if to == nil {
			continue
		}
		from, end, err := os.Pipe()
		if err != nil {
			out.closeOurs()
			out.close()
			return nil, fmt.Errorf("make a pipe for the output: %w", err)
		}
		out.pipes = append(out.pipes, &pipe{from: from, end: end, to: to})
	}
	// If there is one pipe for both, the order of the output stays.
	r.Cmd.Stdout, r.Cmd.Stderr = out.pipes[0].end, out.pipes[len(out.pipes)-1].end
	return out, nil
}

// closeOurs closes this process's copies of the ends to which the program writes.
func (o *outputs) closeOurs() {
	for _, p := range o.pipes {
		_ = p.end.Close()
	}
}

func (o *outputs) close() {
	for _, p := range o.pipes {
		_ = p.from.Close()
	}
}

// copy starts to copy the output into the Writers.
func (o *outputs) copy() {
	var copying sync.WaitGroup
	for _, p := range o.pipes {
		copying.Go(func() {
			// A ReadFrom of the Writer would not limit the size, so every byte goes through Write.
			if _, err := io.Copy(struct{ io.Writer }{p.to}, p.from); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
				p.err = err
				o.failed(err)
			}
		})
	}
	go func() {
		copying.Wait()
		close(o.copied)
	}()
}

// err returns the error of a Writer. Call it when all output was copied.
func (o *outputs) err() (err error) {
	for _, p := range o.pipes {
		err = cmp.Or(err, p.err)
	}
	return err
}

// wait waits until all output was read. It returns false if that takes longer than within.
func (o *outputs) wait(within time.Duration) bool {
	select {
	case <-o.copied:
		return true
	case <-time.After(within):
		return false
	}
}

// stopReading ends the reading of all pipes.
func (o *outputs) stopReading() {
	for _, p := range o.pipes {
		_ = p.from.SetReadDeadline(time.Now())
	}
	<-o.copied
}
