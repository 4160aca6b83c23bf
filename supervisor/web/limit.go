package web

import (
	"net"
	"sync"
)

// limited is a listener that has so many connections open at once. Further ones wait with the kernel until one of them
// is closed.
type limited struct {
	*net.TCPListener
	places chan struct{} // holds a token for each open connection
	closed chan struct{}
	close  func() error // once
}

func limit(l *net.TCPListener, most int) *limited {
	closed := make(chan struct{})
	return &limited{TCPListener: l, places: make(chan struct{}, most), closed: closed,
		close: sync.OnceValue(func() error { close(closed); return l.Close() })}
}

func (l *limited) Accept() (net.Conn, error) {
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
	return &place{conn, leave}, nil
}

func (l *limited) Close() error { return l.close() }

// place is a connection that takes a place until it is closed. It is a TCP connection to net/http too, which closes one
// half of it first, so that who is refused in the middle of a request reads why.
type place struct {
	*net.TCPConn
	leave func()
}

func (p *place) Close() error {
	defer p.leave()
	return p.TCPConn.Close()
}
