package protocol

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// writeChunk is what the other side must take within Options.WriteTimeout.
const writeChunk = 64 << 10

// writer is the part of a connection that writes. Its run, called once, is the only code that does.
type writer struct {
	shared  *sharedState
	to      io.Writer         // its SetWriteDeadline is used where there is one
	timeout time.Duration     // in which the other side must take writeChunk
	abort   func(cause error) // ends the connection, and with it a Write that waits
}

// run writes the lines that are queued, until the connection ends (nil) or must end (the cause). After a stall that is
// at once; a peer that is gone may have left its last words, so the reader is given timeout to come to their end, and
// ends the connection by it.
func (w *writer) run() error {
	err := w.writeAll()
	if err == nil || errors.Is(err, ErrStalled) {
		return err
	}
	timer := time.NewTimer(w.timeout)
	defer timer.Stop()
	select {
	case <-w.shared.done:
	case <-timer.C:
	}
	return err
}

// writeAll writes the lines that are queued until the connection ends.
func (w *writer) writeAll() error {
	for {
		line := w.shared.take()
		if line == nil {
			select {
			case <-w.shared.wake:
				continue
			case <-w.shared.done:
				return nil
			}
		}
		if err := w.write(line); err != nil {
			return err
		}
	}
}

// write writes in chunks, each with a deadline of its own: a slow reader is one thing, a silent one another.
func (w *writer) write(line []byte) error {
	for len(line) > 0 {
		disarm := w.setDeadline()
		n, err := w.to.Write(line[:min(len(line), writeChunk)])
		disarm()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return w.stallError()
		}
		if err != nil {
			return fmt.Errorf("write: %w", err)
		}
		line = line[n:]
	}
	return nil
}

// setDeadline bounds the next Write: by a deadline where there is one, else by ending the connection.
func (w *writer) setDeadline() (disarm func()) {
	d, ok := w.to.(interface{ SetWriteDeadline(time.Time) error })
	if ok && d.SetWriteDeadline(time.Now().Add(w.timeout)) == nil {
		return func() {}
	}
	timer := time.AfterFunc(w.timeout, func() { w.abort(w.stallError()) })
	return func() { timer.Stop() }
}

func (w *writer) stallError() error {
	return fmt.Errorf("write: %w: nothing for %v", ErrStalled, w.timeout)
}
