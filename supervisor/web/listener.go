package web

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"mews/supervisor/internal/signals"
)

// maxOfAddress is the maximum number of open connections from one address. Telegram opens at most
// 10 connections to a webhook, GitHub a few. Loopback and private addresses have no limit, because
// a proxy there makes the calls of many callers.
const maxOfAddress = 32

// limitedListener limits the number of open connections. If no slot is free, a new connection takes
// the slot of the connection that has waited longest for a request's headers. That wait must have
// lasted at least for patience; until then the new connection waits.
type limitedListener struct {
	*net.TCPListener
	most     int
	patience time.Duration
	closed   chan struct{}
	close    func() error  // closes the listener once
	freed    chan struct{} // holds a token if a slot may be free

	mu   sync.Mutex     // guards the fields below
	open []*limitedConn // connections that have a slot; the one that has waited longest for a request is first
}

func limitListener(l *net.TCPListener, most int, patience time.Duration) *limitedListener {
	closed := make(chan struct{})
	return &limitedListener{TCPListener: l, most: most, patience: patience, closed: closed, freed: make(chan struct{}, 1),
		close: sync.OnceValue(func() error { close(closed); return l.Close() })}
}

func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptTCP()
		if err != nil {
			return nil, err
		}
		c := &limitedConn{TCPConn: conn, listener: l, address: outerAddress(conn.RemoteAddr()), awaited: time.Now()}
		if l.tooMany(c.address) {
			conn.Close()
			continue
		}
		if !l.wait(c) {
			conn.Close()
			return nil, net.ErrClosed
		}
		return c, nil
	}
}

// wait waits until a connection has a slot. It returns false if the listener was closed.
func (l *limitedListener) wait(c *limitedConn) bool {
	for {
		in, again := l.admit(c)
		if in {
			return true
		}
		select {
		case <-l.freed:
		case <-time.After(again):
		case <-l.closed:
			return false
		}
	}
}

func (l *limitedListener) Close() error { return l.close() }

// outerAddress returns the address under which a connection counts. The zero value means that it
// has no limit.
func outerAddress(a net.Addr) netip.Addr {
	ip := a.(*net.TCPAddr).AddrPort().Addr().Unmap()
	if ip.IsLoopback() || ip.IsPrivate() {
		return netip.Addr{}
	}
	return ip
}

// tooMany reports whether an address has reached its maximum of connections.
func (l *limitedListener) tooMany(address netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, c := range l.open {
		if c.address == address {
			n++
		}
	}
	return address.IsValid() && n >= maxOfAddress
}

// admit gives a connection a slot, if necessary the slot of another connection. If that is not
// possible, it returns how long to wait before the next try.
func (l *limitedListener) admit(c *limitedConn) (in bool, again time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.most {
		i := slices.IndexFunc(l.open, func(other *limitedConn) bool { return !other.awaited.IsZero() })
		if i < 0 {
			return false, time.Minute
		}
		if again = l.patience - time.Since(l.open[i].awaited); again > 0 {
			return false, again
		}
		l.open[i].TCPConn.Close() // at its next read, net/http sees that the connection is closed
		l.open = slices.Delete(l.open, i, i+1)
	}
	l.open = append(l.open, c)
	return true, 0
}

// remove removes a connection, and returns whether it had a slot.
func (l *limitedListener) remove(c *limitedConn) bool {
	i := slices.Index(l.open, c)
	if i >= 0 {
		l.open = slices.Delete(l.open, i, i+1)
	}
	return i >= 0
}

// stateChanged records the state of a connection. net/http calls it when a request's headers were
// read, and when the wait for the next request begins.
func (l *limitedListener) stateChanged(conn net.Conn, state http.ConnState) {
	c := conn.(*limitedConn)
	l.mu.Lock()
	defer l.mu.Unlock()
	if state == http.StateActive {
		c.awaited = time.Time{}
	}
	if state == http.StateIdle && l.remove(c) {
		c.awaited = time.Now()
		l.open = append(l.open, c)
		signals.SendToken(l.freed)
	}
}

// limitedConn is a connection that has a slot until it is closed. net/http treats it like a TCP
// connection: it closes the writing half first. So a caller that is still sending can read why its
// request is refused.
type limitedConn struct {
	*net.TCPConn
	listener *limitedListener
	address  netip.Addr
	// time since when the connection waits for a request; zero during a request; guarded by the
	// listener's mutex
	awaited time.Time
}

func (c *limitedConn) Close() error {
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(c)
	signals.SendToken(l.freed)
	return c.TCPConn.Close()
}
