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

// outputs are the pipes that a program writes to.
type outputs struct {
	pipes  []*pipe
	failed context.CancelCauseFunc // ends the run with the error of a Writer
	copied chan struct{}           // closed when no process writes any longer and all was read
}

type pipe struct {
	from, end *os.File // pipe: from is our end, end is the program's
	to        io.Writer
	err       error // error of a write to to; valid once copied is closed
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
	// One pipe for both keeps the order of the output.
	r.Cmd.Stdout, r.Cmd.Stderr = out.pipes[0].end, out.pipes[len(out.pipes)-1].end
	return out, nil
}

// closeOurs closes our copies of the program's ends.
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

// copy begins to read.
func (o *outputs) copy() {
	var copying sync.WaitGroup
	for _, p := range o.pipes {
		copying.Go(func() {
			// Every byte goes through Write, even if the Writer has a ReadFrom, which would know no
			// bound.
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

// err returns the error of a Writer. Call it once all was copied.
func (o *outputs) err() (err error) {
	for _, p := range o.pipes {
		err = cmp.Or(err, p.err)
	}
	return err
}

// wait waits until all was read, and reports whether that took at most within.
func (o *outputs) wait(within time.Duration) bool {
	select {
	case <-o.copied:
		return true
	case <-time.After(within):
		return false
	}
}

// stopReading stops reading.
func (o *outputs) stopReading() {
	for _, p := range o.pipes {
		_ = p.from.SetReadDeadline(time.Now())
	}
	<-o.copied
}
