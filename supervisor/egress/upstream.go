package egress

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"

	"code.dny.dev/ssrf"
)

// UpstreamOptions describe an address that an admin wrote into the configuration.
type UpstreamOptions struct {
	Name    string // name in texts for people, such as: the service "home"
	BaseURL string // http or https; the host may be an IP address, and the port any
	CAFile  string // path of PEM certificates that alone are trusted; "" means the machine's
	// MaxResponse limits an answer, packed and unpacked, in bytes; 0 means the limits of the web.
	MaxResponse int64
	// Timeout limits a fetch, and the wait for its headers; 0 means the limits of the web.
	Timeout time.Duration
}

// Upstream is an address that an admin configured. It may be private.
type Upstream struct {
	name  string
	base  Address
	route *route
}

// privateV4 and privateV6 are the private addresses that a configured name may lead to. Link-local
// and multicast addresses are not among them.
var (
	privateV4 = prefixes("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
	privateV6 = prefixes("::1/128", "fc00::/7")
	everyV4   = netip.MustParsePrefix("0.0.0.0/0")
	everyV6   = netip.MustParsePrefix("::/0")
)

// NewUpstream makes an upstream. Its errors are for admins, without the base URL.
func (c *Client) NewUpstream(o UpstreamOptions) (*Upstream, error) {
	base, f := parse(o.BaseURL)
	if f == faultNumber {
		f = faultBase
	}
	if f != nil {
		return nil, fmt.Errorf("base address of %s: %w", o.Name, f.failure(o.Name, false))
	}
	roots, err := c.readRoots(o.CAFile)
	if err != nil {
		return nil, fmt.Errorf("ca_file of %s: %w", o.Name, err)
	}
	return &Upstream{name: o.Name, base: base, route: &route{
		transport: c.newTransport(controlOf(base), roots, false),
		headers:   cmp.Or(o.Timeout, headerTimeout), whole: cmp.Or(o.Timeout, wholeTimeout),
		maxWire: cmp.Or(o.MaxResponse, maxWire), maxUnpacked: cmp.Or(o.MaxResponse, maxUnpacked)}}, nil
}

// Address normalises an address of the upstream. It refuses one of another scheme, host or port.
func (u *Upstream) Address(text string) (Address, error) {
	a, f := parse(text)
	if f == nil && !a.hasOriginOf(u.base) {
		f = faultElsewhere
	}
	if f != nil {
		return Address{}, f.failure(u.name, false)
	}
	return a, nil
}

type upstreamKey struct{}

// WithUpstream selects an upstream for fetches with the returned context.
func WithUpstream(ctx context.Context, u *Upstream) context.Context {
	return context.WithValue(ctx, upstreamKey{}, u)
}

// controlOf returns the guard of an upstream. It allows the port of the base address alone. Of IP
// addresses it allows only the one in the base address, or for a name the public and private ones.
func controlOf(base Address) Control {
	port := ssrf.WithPorts(base.port)
	switch {
	case base.ip.Is4():
		return ssrf.New(port, ssrf.WithAllowedV4Prefixes(only(base.ip)), ssrf.WithDeniedV4Prefixes(everyV4),
			ssrf.WithDeniedV6Prefixes(everyV6)).Safe
	case base.ip.Is6():
		return ssrf.New(port, ssrf.WithAllowedV6Prefixes(only(base.ip)), ssrf.WithDeniedV4Prefixes(everyV4),
			ssrf.WithDeniedV6Prefixes(everyV6)).Safe
	}
	return withoutMetadata(ssrf.New(port, ssrf.WithAllowedV4Prefixes(privateV4...),
		ssrf.WithAllowedV6Prefixes(privateV6...)))
}

func only(ip netip.Addr) netip.Prefix { return netip.PrefixFrom(ip, ip.BitLen()) }

func prefixes(texts ...string) (list []netip.Prefix) {
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// readRoots reads the certificates of a PEM file, or returns the client's own without a file.
func (c *Client) readRoots(path string) (*x509.CertPool, error) {
	if path == "" {
		return c.roots, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, errors.New("the file has no certificate in PEM format")
	}
	return roots, nil
}
