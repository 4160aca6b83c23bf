// Package egress is the HTTP client for every address that a user or a model names.
//
// Such an address may be made to reach this machine, its network or a cloud's metadata. So each
// connection is checked at the moment of dialling, by the IP address that is dialled (package
// ssrf). Redirects are checked like new addresses. The client uses no proxy, keeps no cookies, and
// limits time, size and number of fetches.
//
// An address that an admin configured is an Upstream. It may be private, with any port, and has a
// guard and a transport of its own. A context selects it for one fetch.
package egress

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"mews/supervisor/internal/slots"
)

// Limits of one fetch.
const (
	headerTimeout = 10 * time.Second // time to the end of an answer's headers, for each redirect anew
	wholeTimeout  = 30 * time.Second
	maxHeaders    = 64 << 10 // bytes of an answer's headers
	maxWire       = 5 << 20  // bytes of a body as it is sent
	maxUnpacked   = 20 << 20
	maxRatio      = 100 // unpacked bytes for each sent byte
	maxRedirects  = 5
)

// Control decides about one connection by its network and IP address with port, as the function of
// the same name in net.Dialer does.
type Control = func(network, address string, c syscall.RawConn) error

// Dial connects to a name or IP address with a port. It must call control with each IP address
// before it connects to that, and must not connect if control returns an error.
type Dial = func(ctx context.Context, network, address string, control Control) (net.Conn, error)

// Options configure a Client.
type Options struct {
	Dial      Dial             // nil means a net.Dialer
	RootCAs   *x509.CertPool   // nil means the machine's
	UserAgent string           // "" means Mews
	Now       func() time.Time // nil means time.Now
}

// Client fetches addresses. Its methods may be called from any goroutine.
type Client struct {
	dial      Dial
	userAgent string
	now       func() time.Time
	roots     *x509.CertPool
	web       *route
	limiter   *limiter
	slots     *slots.Slots
}

// New makes a client. It keeps no connection open and starts no goroutine.
func New(o Options) *Client {
	c := &Client{dial: o.Dial, userAgent: cmp.Or(o.UserAgent, "Mews"), now: o.Now, roots: o.RootCAs,
		slots: slots.NewWithUserLimit(maxAtOnce, maxAtOnceOfUser)}
	if c.dial == nil {
		c.dial = dialMachine
	}
	if c.now == nil {
		c.now = time.Now
	}
	c.limiter = newLimiter(c.now)
	c.web = &route{transport: c.newTransport(withoutMetadata(ssrf.New()), o.RootCAs, true),
		headers: headerTimeout, whole: wholeTimeout, maxWire: maxWire, maxUnpacked: maxUnpacked}
	return c
}

func dialMachine(ctx context.Context, network, address string, control Control) (net.Conn, error) {
	dialer := net.Dialer{Timeout: headerTimeout, Control: control}
	return dialer.DialContext(ctx, network, address)
}

// metadata are the addresses of clouds' metadata services that lie in public or private networks:
// Azure, Alibaba, Amazon and Google. The other clouds use link-local addresses.
var metadata = []netip.Addr{netip.MustParseAddr("168.63.129.16"), netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254")}

// withoutMetadata returns a guard that refuses the metadata services, and what the guardian
// refuses.
func withoutMetadata(guardian *ssrf.Guardian) Control {
	return func(network, address string, c syscall.RawConn) error {
		if to, err := netip.ParseAddrPort(address); err == nil && slices.Contains(metadata, to.Addr().Unmap()) {
			return ssrf.ErrProhibitedIP
		}
		return guardian.Safe(network, address, c)
	}
}

// route is how requests reach the public web, or one upstream.
type route struct {
	transport      *http.Transport
	headers, whole time.Duration
	maxWire        int64
	maxUnpacked    int64
}

// newTransport makes a transport whose connections control checks. It uses each connection once,
// so each request is checked, and net/http never sends a request again. If rooted, no search domain
// of this machine completes a name.
func (c *Client) newTransport(control Control, roots *x509.CertPool, rooted bool) *http.Transport {
	var only http.Protocols
	only.SetHTTP1(true)
	return &http.Transport{
		Proxy: nil, // a proxy would look up the name again, and connect without the guard
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			if rooted {
				host += "."
			}
			// the transport's own context outlives the fetch
			if own, ok := ctx.Value(fetchKey{}).(context.Context); ok {
				ctx = own
			}
			return c.dial(ctx, network, net.JoinHostPort(host, port), control)
		},
		TLSHandshakeTimeout:    headerTimeout,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		MaxResponseHeaderBytes: maxHeaders,
		DisableCompression:     true, // answers are unpacked by unpackedBody, which has limits
		DisableKeepAlives:      true,
		Protocols:              &only,
	}
}

// fetchKey is the key of the context of a whole fetch, in the contexts of its requests.
type fetchKey struct{}

// routeOf returns how to reach an address, and the name for it in texts. An upstream in the
// context applies only to addresses of its own origin.
func (c *Client) routeOf(ctx context.Context, a Address) (*route, string, *fault) {
	if u, ok := ctx.Value(upstreamKey{}).(*Upstream); ok && a.hasOriginOf(u.base) {
		return u.route, u.name, nil
	}
	if f := a.publicFault(); f != nil {
		return nil, "", f
	}
	return c.web, a.host, nil
}
