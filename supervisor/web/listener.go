package web

import (
	"net"
	"sync"
)

// limitedListener has a bounded number of connections open at once. Further ones wait with the kernel until one is closed.
type limitedListener struct {
	*net.TCPListener
	places chan struct{} // holds a token for each open connection
	closed chan struct{}
	close  func() error // once
}

func limitListener(l *net.TCPListener, most int) *limitedListener {
	closed := make(chan struct{})
	return &limitedListener{TCPListener: l, places: make(chan struct{}, most), closed: closed,
		close: sync.OnceValue(func() error { close(closed); return l.Close() })}
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	leave := sync.OnceFunc(func() { <-l.places })
	conn, err := l.AcceptTCP()
	if err != nil {
		leave()
		return nil, err
	}
	return &limitedConn{conn, leave}, nil
}

func (l *limitedListener) Close() error { return l.close() }

// limitedConn takes a place until it is closed. net/http sees that it is a TCP connection and closes one half of it first, so that
// a caller who is refused in the middle of a request can read why.
type limitedConn struct {
	*net.TCPConn
	leave func()
}

func (c *limitedConn) Close() error {
	defer c.leave()
	return c.TCPConn.Close()
}
