package protocol

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// writeChunk is the number of bytes that the other side must read within Options.WriteTimeout.
const writeChunk = 64 << 10

// write writes the queued lines, until the connection ends. It returns nil, or the cause for which
// the connection must end. A stall ends the connection at once. If the peer is gone, the reader has
// WriteTimeout to read the peer's last lines.
func (c *Conn) write() error {
	err := c.writeLines()
	if err == nil || errors.Is(err, ErrPeerStalled) {
		return err
	}
	select {
	case <-c.done:
	case <-time.After(c.options.WriteTimeout):
	}
	return err
}

// writeLines writes the queued lines until the connection ends.
func (c *Conn) writeLines() error {
	for {
		var line []byte
		c.update(func(s *connState) { line = s.take() })
		if line == nil {
			select {
			case <-c.wake:
				continue
			case <-c.done:
				return nil
			}
		}
		if err := c.writeLine(line); err != nil {
			return err
		}
	}
}

// writeLine writes in chunks, each with its own deadline, to tell a slow peer from a peer that does
// not read.
func (c *Conn) writeLine(line []byte) error {
	for len(line) > 0 {
		disarm := c.setDeadline()
		n, err := c.rwc.Write(line[:min(len(line), writeChunk)])
		disarm()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return c.stallError()
		}
		if err != nil {
			return fmt.Errorf("write: %w", err)
		}
		line = line[n:]
	}
	return nil
}

// setDeadline bounds the next Write: by a deadline if rwc has deadlines, otherwise by ending the
// connection.
func (c *Conn) setDeadline() (disarm func()) {
	d, ok := c.rwc.(interface{ SetWriteDeadline(time.Time) error })
	if ok && d.SetWriteDeadline(time.Now().Add(c.options.WriteTimeout)) == nil {
		return func() {}
	}
	timer := time.AfterFunc(c.options.WriteTimeout, func() { c.Close(c.stallError()) })
	return func() { timer.Stop() }
}

func (c *Conn) stallError() error {
	return fmt.Errorf("write: %w: nothing for %v", ErrPeerStalled, c.options.WriteTimeout)
}
