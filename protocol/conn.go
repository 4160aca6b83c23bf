package protocol

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Options bound a connection. The zero value of each field stands for its default.
type Options struct {
	MaxLine      int           // bytes of a line, both ways; 1 MiB
	MaxCalls     int           // calls of the other side's that are answered at once; 64
	WriteTimeout time.Duration // in which the other side must take 64 KiB when we write; 10 s
	CancelGrace  time.Duration // for the answer to a call that was cancelled; 5 s
	// of lines waiting to be written; 4 MiB, and a quarter of it again for the bulk lane
	QueueBytes int
	// takes what is withheld from the other side, from any goroutine; nil: dropped
	Report func(error)
}

func (o Options) withDefaults() Options {
	o.MaxLine = orDefault(o.MaxLine, 1<<20)
	o.MaxCalls = orDefault(o.MaxCalls, 64)
	o.WriteTimeout = orDefault(o.WriteTimeout, 10*time.Second)
	o.CancelGrace = orDefault(o.CancelGrace, 5*time.Second)
	o.QueueBytes = orDefault(o.QueueBytes, 4<<20)
	if o.Report == nil {
		o.Report = func(error) {}
	}
	return o
}

func orDefault[T int | time.Duration](value, standard T) T {
	if value > 0 {
		return value
	}
	return standard
}

// Conn is one side of a connection. Its methods may be called from any goroutine, Call and Notify
// also before Run: what they queue leaves when Run is called. The other side is taken to be
// hostile.
type Conn struct {
	rwc     io.ReadWriteCloser
	handler Handler
	options Options
	done    chan struct{} // closed when the connection ends
	wake    chan struct{} // holds a token when there may be lines to write

	// Only the reader uses these two, but for waiting.
	answers  sync.WaitGroup  // the calls of the other side's that are being answered
	lastBulk <-chan struct{} // closed when the newest bulk call is answered

	mu    sync.Mutex // guards state; only update takes it
	state connState
}

// NewConn makes a connection that owns rwc. It closes rwc when the connection ends, for whatever
// cause; that must end a Read and a Write that wait. It uses SetWriteDeadline where rwc has it.
// Nothing happens before Run; Close ends a connection that is never run.
func NewConn(rwc io.ReadWriteCloser, h Handler, o Options) *Conn {
	return &Conn{
		rwc: rwc, handler: h, options: o.withDefaults(), done: make(chan struct{}), wake: make(chan struct{}, 1),
		lastBulk: alreadyClosed, state: newConnState(),
	}
}

// Run reads, writes and dispatches until ctx ends, Close is called, the other side goes, or the
// wire is broken. It returns the cause after every goroutine has ended: context.Cause(ctx), Close's
// cause, io.EOF where the other side closed between two lines, io.ErrUnexpectedEOF within one,
// ErrProtocol or ErrStalled (these wrapped), or the error of a read or write. The contexts of
// handlers end first; Run waits for the handlers to return. It may be called once.
func (c *Conn) Run(ctx context.Context) error {
	again := false
	c.update(func(s *connState) { again, s.running = s.running, true })
	if again {
		return errors.New("run connection: it is running, or has run")
	}
	inside, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	var others sync.WaitGroup
	others.Go(func() {
		select {
		case <-ctx.Done():
			c.Close(context.Cause(ctx))
		case <-c.done:
		}
		cancel(c.Err()) // after Close: handlers see why the connection has ended
	})
	others.Go(func() { c.Close(c.write()) })
	c.Close(c.read(inside))
	others.Wait()
	c.answers.Wait()
	return c.Err()
}

// Close ends the connection at once, from any goroutine: what is queued is dropped, calls return
// ErrClosed, the contexts of handlers end. The first cause stays; nil stands for ErrClosed. Close
// does not wait for goroutines; Run does.
func (c *Conn) Close(cause error) {
	first := false
	c.update(func(s *connState) { first = s.end(cause) })
	if !first {
		return
	}
	close(c.done)
	if err := c.rwc.Close(); err != nil {
		c.options.Report(fmt.Errorf("close connection: %w", err))
	}
}

// Done is closed when the connection ends. Goroutines of Run may still be ending then.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err is nil while the connection lives. Then it is the cause of the end.
func (c *Conn) Err() (cause error) {
	c.update(func(s *connState) { cause = s.cause })
	return cause
}

// update is the only way to the state. change must not block. After each change the writer is woken
// if there are lines.
func (c *Conn) update(change func(*connState)) {
	c.mu.Lock()
	change(&c.state)
	pending := c.state.pending()
	c.mu.Unlock()
	if !pending {
		return
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// read takes lines and dispatches them until there are no more. Dispatching waits for nothing.
func (c *Conn) read(ctx context.Context) error {
	lines := newFrameReader(c.rwc, c.options.MaxLine)
	for {
		line, err := lines.next()
		if err != nil {
			return err
		}
		m, err := decodeLine(line)
		switch {
		case err != nil:
		case c.Err() != nil:
			err = c.Err()
		case m.method == "":
			err = c.handleResponse(m)
		case m.id == 0:
			err = c.handleNotification(m)
		default:
			err = c.handleCall(ctx, m)
		}
		if err != nil {
			return err
		}
	}
}
