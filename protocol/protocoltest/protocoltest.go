// Package protocoltest helps to test both sides of the wire. It has connections over a real
// socketpair, handlers made of functions, and a peer that plays a transcript byte for byte.
package protocoltest

import (
	"context"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"mews/protocol"
)

// NewSocketPair returns the two ends of a socketpair, as a supervisor and a worker have. Both ends
// close when t ends. Both support deadlines. Either end may be asserted to *net.UnixConn for
// CloseWrite and File.
func NewSocketPair(t testing.TB) (a, b io.ReadWriteCloser) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatalf("make socketpair: %v", err)
	}
	return end(t, fds[0]), end(t, fds[1])
}

func end(t testing.TB, fd int) net.Conn {
	t.Helper()
	syscall.CloseOnExec(fd)
	file := os.NewFile(uintptr(fd), "socketpair")
	defer file.Close() // net.FileConn duplicates the descriptor, so file is no longer needed
	conn, err := net.FileConn(file)
	if err != nil {
		t.Fatalf("open end of socketpair: %v", err)
	}
	t.Cleanup(func() { conn.Close() }) // does no harm if the test has closed conn already
	return conn
}

// NewConnPair returns two connected connections that run until t ends. t then waits for them. The
// first of opts is for a, the last for b. Without opts both have the defaults.
func NewConnPair(t testing.TB, ha, hb protocol.Handler, opts ...protocol.Options) (a, b *protocol.Conn) {
	t.Helper()
	opts = append(opts, protocol.Options{})[:max(1, len(opts))]
	pa, pb := NewSocketPair(t)
	a, b = protocol.NewConn(pa, ha, opts[0]), protocol.NewConn(pb, hb, opts[len(opts)-1])
	RunConn(t, a)
	RunConn(t, b)
	return a, b
}

// RunConn runs c in a goroutine until t ends, which closes c and waits for it. The channel holds
// the error of c.Run.
func RunConn(t testing.TB, c *protocol.Conn) <-chan error {
	t.Helper()
	result, done := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(done)
		result <- c.Run(context.Background())
	}()
	t.Cleanup(func() {
		c.Close(nil)
		<-done
	})
	return result
}

// HandlerFuncs is a handler made of functions. A nil CallFunc refuses every method, a nil
// NotifyFunc drops notifications.
type HandlerFuncs struct {
	CallFunc   func(ctx context.Context, req *protocol.Request) (any, error)
	NotifyFunc func(req *protocol.Request)
}

// HandleCall calls CallFunc.
func (h HandlerFuncs) HandleCall(ctx context.Context, req *protocol.Request) (any, error) {
	if h.CallFunc == nil {
		return nil, protocol.MethodNotFoundError(req.Method)
	}
	return h.CallFunc(ctx, req)
}

// HandleNotification calls NotifyFunc.
func (h HandlerFuncs) HandleNotification(req *protocol.Request) {
	if h.NotifyFunc != nil {
		h.NotifyFunc(req)
	}
}
