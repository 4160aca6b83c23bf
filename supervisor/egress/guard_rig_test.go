package egress_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"mews/supervisor/egress"
)

// errPassed ends a connection that the guard let through, so that no packet leaves this machine.
var errPassed = errors.New("the guard let it through")

// guardRig dials as a Client does by itself: with a net.Dialer, real sockets and a name server. The
// guard sees the port of the address. The sockets use the port of the rig's listener.
type guardRig struct {
	names    func(name string) []netip.Addr
	port     string // port of the private listener, on 127.0.0.1
	accepted atomic.Int64
	queries  atomic.Int64

	mu     sync.Mutex // guards the following field
	passed []string   // IP addresses that the guard let through
}

func newGuardRig(t testing.TB, names func(name string) []netip.Addr) *guardRig {
	r := &guardRig{names: names}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			r.accepted.Add(1)
			_ = conn.Close() // it only counts
		}
	})
	t.Cleanup(func() {
		_ = listener.Close() // it only has to end
		running.Wait()
	})
	_, r.port, _ = net.SplitHostPort(listener.Addr().String()) // the address of a listener has a port
	return r
}

// dial is an egress.Dial. A nil control lets everything on loopback through.
func (r *guardRig) dial(ctx context.Context, network, address string, control egress.Control) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go r.answerQuery(server)
		return client, nil
	}}
	dialer := net.Dialer{Resolver: resolver, Control: func(network, to string, c syscall.RawConn) error {
		ip := netip.MustParseAddrPort(to).Addr()
		if control != nil {
			if err := control(network, net.JoinHostPort(ip.String(), port), c); err != nil {
				return err
			}
		}
		r.mu.Lock()
		r.passed = append(r.passed, ip.String())
		r.mu.Unlock()
		if ip.Unmap().IsLoopback() {
			return nil
		}
		return errPassed
	}}
	return dialer.DialContext(ctx, network, net.JoinHostPort(host, r.port))
}

// listPassed returns the IP addresses that the guard let through.
func (r *guardRig) listPassed() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.passed
}

// answerQuery answers one query on a connection of DNS over TCP.
func (r *guardRig) answerQuery(conn net.Conn) {
	defer conn.Close() // the client has gone if it fails
	size := make([]byte, 2)
	if _, err := io.ReadFull(conn, size); err != nil {
		return
	}
	packed := make([]byte, binary.BigEndian.Uint16(size))
	if _, err := io.ReadFull(conn, packed); err != nil {
		return
	}
	var query dnsmessage.Message
	if err := query.Unpack(packed); err != nil || len(query.Questions) != 1 {
		return
	}
	asked := query.Questions[0]
	answer := dnsmessage.Message{Header: dnsmessage.Header{ID: query.ID, Response: true, Authoritative: true},
		Questions: query.Questions}
	r.queries.Add(1)
	ips := r.names(strings.ToLower(strings.TrimSuffix(asked.Name.String(), ".")))
	if len(ips) == 0 {
		answer.RCode = dnsmessage.RCodeNameError
	}
	for _, ip := range ips {
		header := dnsmessage.ResourceHeader{Name: asked.Name, Class: dnsmessage.ClassINET}
		switch {
		case ip.Is4() && asked.Type == dnsmessage.TypeA:
			answer.Answers = append(answer.Answers, dnsmessage.Resource{Header: header,
				Body: &dnsmessage.AResource{A: ip.As4()}})
		case ip.Is6() && asked.Type == dnsmessage.TypeAAAA:
			answer.Answers = append(answer.Answers,
				dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
		}
	}
	if packed, err := answer.Pack(); err == nil {
		size := binary.BigEndian.AppendUint16(nil, uint16(len(packed)))
		_, _ = conn.Write(append(size, packed...)) // the client may be gone
	}
}
