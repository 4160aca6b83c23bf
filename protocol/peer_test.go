package protocol_test

import (
	"bufio"
	"context"
	"io"
	"testing"

	"mews/protocol"
	"mews/protocol/protocoltest"
)

// peer is the other side of a connection, driven by the test.
type peer struct {
	io.ReadWriteCloser
	t  testing.TB
	in *bufio.Reader
}

func (p *peer) send(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(p, line+"\n"); err != nil {
			p.t.Fatalf("send %.100s: %v", line, err)
		}
	}
}

func (p *peer) expect(lines ...string) {
	p.t.Helper()
	for _, want := range lines {
		got, err := p.in.ReadString('\n')
		if err != nil || got != want+"\n" {
			p.t.Fatalf("got %.300q and %v, want %.300s", got, err, want)
		}
	}
}

// newConn makes a connection that does not run yet, and its peer.
func newConn(t testing.TB, h protocol.Handler, o protocol.Options) (*protocol.Conn, *peer) {
	t.Helper()
	ours, theirs := protocoltest.NewSocketPair(t)
	c := protocol.NewConn(ours, h, o)
	t.Cleanup(func() { c.Close(nil) })
	return c, &peer{theirs, t, bufio.NewReader(theirs)}
}

// runConn is like newConn, but runs the connection. The channel holds the result of Run.
func runConn(t testing.TB, h protocol.Handler, o protocol.Options) (*protocol.Conn, *peer, <-chan error) {
	t.Helper()
	c, p := newConn(t, h, o)
	return c, p, protocoltest.RunConn(t, c)
}

type handler = protocoltest.HandlerFuncs

// answerWith returns a handler that answers every call with f.
func answerWith(f func(ctx context.Context, req *protocol.Request) (any, error)) handler {
	return handler{CallFunc: f}
}

// runLater runs f in a goroutine and returns its error.
func runLater(f func() error) <-chan error {
	result := make(chan error, 1)
	go func() { result <- f() }()
	return result
}
