package protocol

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Options bound a connection. Zero values mean defaults.
type Options struct {
	MaxLine      int           // bytes of a line, both ways; default 1 MiB
	MaxCalls     int           // calls of the other side that are handled at the same time; default 64
	WriteTimeout time.Duration // time in which the other side must read 64 KiB that we write; default 10 s
	CancelGrace  time.Duration // time for the answer to a cancelled call; default 5 s
	// limit of the waiting lines in bytes; default 4 MiB, plus a quarter for the bulk lane
	QueueBytes int
	// Report receives errors that the other side must not see, from any goroutine; nil drops them
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

// Conn is one side of a connection. Its methods may be called from any goroutine. Call and Notify
// may be called before Run: their lines leave once Run is called. A Conn assumes that the other
// side is hostile.
type Conn struct {
	rwc     io.ReadWriteCloser
	handler Handler
	options Options
	done    chan struct{} // closed when the connection ends
	wake    chan struct{} // holds a token when there may be lines to write

	// Only the reading goroutine changes the fields answers and lastBulk. Other goroutines only
	// wait.
	answers  sync.WaitGroup  // calls of the other side that are being answered
	lastBulk <-chan struct{} // closed once the newest bulk call is answered

	mu    sync.Mutex // guards state; only update locks it
	state connState
}

// NewConn makes a connection that owns rwc. When the connection ends for any reason, it closes rwc.
// Closing rwc must end a waiting Read or Write. The connection uses SetWriteDeadline if rwc has it.
// A connection does nothing before Run; Close ends a connection that is never run.
func NewConn(rwc io.ReadWriteCloser, h Handler, o Options) *Conn {
	return &Conn{
		rwc: rwc, handler: h, options: o.withDefaults(), done: make(chan struct{}), wake: make(chan struct{}, 1),
		lastBulk: alreadyClosed, state: newConnState(),
	}
}

// Run serves the connection until it ends, and returns the cause. The connection ends if ctx ends,
// Close is called, the other side goes, or the wire is broken. The cause is context.Cause(ctx),
// Close's cause, io.EOF between two lines, io.ErrUnexpectedEOF within a line, a wrapped
// ErrProtocolBroken or ErrPeerStalled, or the error of a read or write. Before Run returns, the
// contexts of handlers end, and Run waits for the handlers and all goroutines. Run may be called
// once.
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
		cancel(c.Err()) // called after Close, so that handlers see the cause
	})
	others.Go(func() { c.Close(c.write()) })
	c.Close(c.read(inside))
	others.Wait()
	c.answers.Wait()
	return c.Err()
}

// Close ends the connection at once, from any goroutine. Queued lines are dropped, calls return
// ErrClosed, and the contexts of handlers end. The first cause stays; nil means ErrClosed. Close
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

// Done returns a channel that is closed when the connection ends. Goroutines of Run may
// still be ending then.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns nil while the connection lives, and then the cause of its end.
func (c *Conn) Err() (cause error) {
	c.update(func(s *connState) { cause = s.cause })
	return cause
}

// update is the only access to the state. It calls change, which must not block. Then it wakes the
// writer if there are lines.
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

// read reads and dispatches lines until the stream ends. Dispatching waits for nothing.
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
