package protocol

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// writeChunk is what the other side must take within WriteTimeout.
const writeChunk = 64 << 10

// write takes lines from the queues and writes them until the connection ends.
func (c *Conn) write() {
	for {
		var line []byte
		c.update(func(s *state) { line = s.take() })
		if line == nil {
			select {
			case <-c.wake:
				continue
			case <-c.done:
				return
			}
		}
		if err := c.writeLine(line); err != nil {
			c.writeFailed(err)
			return
		}
	}
}

// writeLine writes in chunks, each with a deadline of its own: a slow reader is one thing, a silent one another.
func (c *Conn) writeLine(line []byte) error {
	for len(line) > 0 {
		disarm := c.armDeadline()
		n, err := c.rwc.Write(line[:min(len(line), writeChunk)])
		disarm()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return c.stalled()
		}
		if err != nil {
			return fmt.Errorf("write: %w", err)
		}
		line = line[n:]
	}
	return nil
}

// armDeadline bounds the next Write: by a deadline where there is one, else by closing the connection.
func (c *Conn) armDeadline() (disarm func()) {
	d, ok := c.rwc.(interface{ SetWriteDeadline(time.Time) error })
	if ok && d.SetWriteDeadline(time.Now().Add(c.options.WriteTimeout)) == nil {
		return func() {}
	}
	timer := time.AfterFunc(c.options.WriteTimeout, func() { c.Close(c.stalled()) })
	return func() { timer.Stop() }
}

func (c *Conn) stalled() error {
	return fmt.Errorf("write: %w: nothing for %v", ErrStalled, c.options.WriteTimeout)
}

// writeFailed ends the connection. After a stall that is at once; a peer that is gone may have left its last words, so
// the reader is given WriteTimeout to come to their end, and ends the connection by it.
func (c *Conn) writeFailed(err error) {
	if !errors.Is(err, ErrStalled) {
		timer := time.NewTimer(c.options.WriteTimeout)
		defer timer.Stop()
		select {
		case <-c.done:
		case <-timer.C:
		}
	}
	c.Close(err)
}

// answerNow answers from the reader's goroutine, which waits for nobody: where even the queue's reserve is full, the
// other side asks without reading, and the connection ends.
func (c *Conn) answerNow(id int64, failure error) error {
	member, value := "result", any(nil)
	if failure != nil {
		member, value = "error", failure
	}
	p, err := pack(value, noLimit)
	if err != nil {
		return err
	}
	reserve := c.options.QueueBytes / 4
	full := false
	c.update(func(s *state) {
		full = !s.fits(laneMain, p.size(), c.options.QueueBytes+reserve)
		if !full {
			s.queue[laneMain].push(p.line(answerHead(id, member)))
		}
	})
	if full {
		return fmt.Errorf("%w: %d bytes of answers wait", ErrStalled, c.options.QueueBytes+reserve)
	}
	return nil
}
