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
	QueueBytes   int           // of lines waiting to be written; 4 MiB, and a quarter of it again for the bulk lane
	Report       func(error)   // takes what is withheld from the other side, from any goroutine; nil: dropped
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

// Conn is one side of a connection. Its methods may be called from any goroutine, Call and Notify also before Run:
// what they queue leaves when Run is called. The other side is taken to be hostile.
type Conn struct {
	rwc     io.ReadWriteCloser
	options Options
	shared  *sharedState
	writer  writer
	server  server
}

// NewConn makes a connection that owns rwc: it is closed when the connection ends, however that comes about, and its
// Close must end a Read and a Write that wait. Where rwc has SetWriteDeadline, it is used. Nothing happens before Run;
// a connection that is not run is ended with Close.
func NewConn(rwc io.ReadWriteCloser, h Handler, o Options) *Conn {
	o = o.withDefaults()
	shared := newSharedState(o.QueueBytes)
	c := &Conn{rwc: rwc, options: o, shared: shared}
	c.writer = writer{shared: shared, to: rwc, timeout: o.WriteTimeout, abort: c.Close}
	c.server = server{shared: shared, handler: h, options: o, lastBulk: alreadyClosed}
	return c
}

// Run reads, writes and dispatches until ctx ends, Close is called, the other side goes, or the wire is broken. It
// returns the cause after every goroutine has ended: context.Cause(ctx), Close's cause, io.EOF where the other side
// closed between two lines, io.ErrUnexpectedEOF within one, ErrProtocol or ErrStalled (these wrapped), or the error of
// a read or write. The contexts of handlers end first; Run waits for the handlers to return. Once only.
func (c *Conn) Run(ctx context.Context) error {
	again := false
	c.shared.update(func(s *connState) { again, s.running = s.running, true })
	if again {
		return errors.New("run connection: it is running, or has run")
	}
	inside, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	var others sync.WaitGroup
	others.Go(func() { c.watch(ctx, cancel) })
	others.Go(func() { c.Close(c.writer.run()) })
	c.Close(c.read(inside))
	others.Wait()
	c.server.answers.Wait()
	return c.Err()
}

// watch ends the connection with ctx, and then, in this order, what goes on inside it.
func (c *Conn) watch(ctx context.Context, inside context.CancelCauseFunc) {
	select {
	case <-ctx.Done():
		c.Close(context.Cause(ctx))
	case <-c.shared.done:
	}
	inside(c.Err())
}

// Close ends the connection at once, from any goroutine: what is queued is dropped, calls return ErrClosed, handlers'
// contexts end. The first cause stays; nil stands for ErrClosed. It waits for nothing: Run does.
func (c *Conn) Close(cause error) {
	if !c.shared.end(cause) {
		return
	}
	if err := c.rwc.Close(); err != nil {
		c.options.Report(fmt.Errorf("close connection: %w", err))
	}
}

// Done is closed when the connection ends; goroutines of Run may then still be ending.
func (c *Conn) Done() <-chan struct{} { return c.shared.done }

// Err is nil while the connection lives, and then the cause of its end.
func (c *Conn) Err() error { return c.shared.cause() }

// read takes lines and dispatches them until there are no more.
func (c *Conn) read(ctx context.Context) error {
	lines := newFrameReader(c.rwc, c.options.MaxLine)
	for {
		line, err := lines.next()
		if err != nil {
			return err
		}
		m, err := decodeLine(line)
		if err != nil {
			return err
		}
		if err := c.dispatch(ctx, m); err != nil {
			return err
		}
	}
}

// dispatch runs on the reader's goroutine and waits for nothing. An error ends the connection.
func (c *Conn) dispatch(ctx context.Context, m *wireMessage) error {
	if c.Err() != nil {
		return c.Err()
	}
	switch {
	case m.method == "":
		return c.handleResponse(m)
	case m.id == 0:
		return c.server.handleNotification(m)
	}
	return c.server.handleCall(ctx, m)
}
