// Package egresstest is an internet in memory for tests of egress and of packages that fetch.
package egresstest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/supervisor/egress"
)

// PublicIP is the address of each site that is served without one.
const PublicIP = "93.184.216.34"

// Internet has sites by their names. Connections to port 80 are pipes, so that tests may use
// package synctest. Connections to port 443 are real ones on loopback, with certificates of a CA.
type Internet struct {
	t       testing.TB
	ca      *x509.Certificate
	key     *ecdsa.PrivateKey
	roots   *x509.CertPool
	running sync.WaitGroup

	mu     sync.Mutex // guards the following fields
	sites  map[string]*site
	dialed []string
}

type site struct {
	ips   []string
	serve func(net.Conn)
	close func()       // ends the server; nil if there is none
	tls   net.Listener // nil before the first connection to port 443
}

// New makes an internet without sites. It ends with the test.
func New(t testing.TB) *Internet {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &Internet{t: t, key: key, roots: x509.NewCertPool(), sites: map[string]*site{}}
	i.ca = i.certificate(x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true})
	i.roots.AddCert(i.ca)
	t.Cleanup(i.close)
	return i
}

// close ends all servers, and waits for them.
func (i *Internet) close() {
	i.mu.Lock()
	sites := i.sites
	i.sites = nil
	i.mu.Unlock()
	for _, s := range sites {
		s.end()
	}
	i.running.Wait()
}

// end ends the servers of a site.
func (s *site) end() {
	if s.tls != nil {
		_ = s.tls.Close() // it only has to end
	}
	if s.close != nil {
		s.close()
	}
}

// Options returns options for a client on this internet.
func (i *Internet) Options() egress.Options { return egress.Options{Dial: i.Dial, RootCAs: i.roots} }

// CACertificate returns the certificate of the CA in DER.
func (i *Internet) CACertificate() []byte { return i.ca.Raw }

// Serve serves a name with a handler, at PublicIP or the given IP addresses. It replaces an earlier
// site of that name.
func (i *Internet) Serve(name string, handler http.HandlerFunc, ips ...string) {
	conns := pipes{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
	i.running.Go(func() { _ = server.Serve(conns) }) // it ends with the test
	i.add(name, ips, &site{serve: conns.put, close: func() {
		close(conns.done)
		_ = server.Close() // a test that leaves connections has failed by itself
	}})
}

// ServeConn serves each connection to a name with a function. The function owns the connection.
func (i *Internet) ServeConn(name string, serve func(net.Conn), ips ...string) {
	i.add(name, ips, &site{serve: serve})
}

func (i *Internet) add(name string, ips []string, s *site) {
	if len(ips) == 0 {
		ips = []string{PublicIP}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	s.ips = ips
	if earlier := i.sites[name]; earlier != nil {
		earlier.end()
	}
	i.sites[name] = s
}

// Dialed returns the IP addresses with ports that were connected, in order.
func (i *Internet) Dialed() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.dialed)
}

// Dial connects to a site. It is an egress.Dial.
func (i *Internet) Dial(ctx context.Context, _, address string, control egress.Control) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	s := i.sites[strings.TrimSuffix(host, ".")]
	i.mu.Unlock()
	if s == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	for _, text := range s.ips {
		network := "tcp4"
		if ip := netip.MustParseAddr(text); ip.Is6() {
			network = "tcp6"
		}
		to := net.JoinHostPort(text, port)
		if err = control(network, to, nil); err != nil {
			continue // the next address, as net.Dialer does
		}
		return i.connect(ctx, to, host, s)
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
}

// connect connects to an IP address and port of a site.
func (i *Internet) connect(ctx context.Context, to, host string, s *site) (net.Conn, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.sites == nil {
		return nil, net.ErrClosed // the test has ended
	}
	i.dialed = append(i.dialed, to)
	if strings.HasSuffix(to, ":443") {
		return i.connectTLS(ctx, host, s)
	}
	client, server := net.Pipe()
	i.running.Go(func() { s.serve(server) })
	return client, nil
}

// connectTLS connects to the site's TLS listener, and starts that before the first connection. The
// caller has locked the mutex.
func (i *Internet) connectTLS(ctx context.Context, host string, s *site) (net.Conn, error) {
	if s.tls == nil {
		leaf := i.certificate(x509.Certificate{SerialNumber: big.NewInt(2),
			DNSNames: []string{strings.TrimSuffix(host, ".")}})
		listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{
			{Certificate: [][]byte{leaf.Raw}, PrivateKey: i.key}}})
		if err != nil {
			return nil, err
		}
		s.tls = listener
		i.running.Go(func() {
			for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
				i.running.Go(func() { s.serve(conn) })
			}
		})
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", s.tls.Addr().String())
}

// certificate makes a certificate that the CA has signed. The CA signs itself.
func (i *Internet) certificate(template x509.Certificate) *x509.Certificate {
	template.NotBefore = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	template.NotAfter = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	parent := i.ca
	if parent == nil {
		parent = &template
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, parent, &i.key.PublicKey, i.key)
	if err != nil {
		i.t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		i.t.Fatal(err)
	}
	return made
}

// pipes is a listener of the connections that are put into it.
type pipes struct {
	conns chan net.Conn
	done  chan struct{} // closed at the end
}

func (p pipes) put(conn net.Conn) {
	select {
	case p.conns <- conn:
	case <-p.done:
		_ = conn.Close() // nobody serves it
	}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error { return nil }

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }
