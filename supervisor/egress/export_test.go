package egress

import (
	"context"
	"net"
	"net/netip"
)

// DialForBenchmark dials an address as a fetch does, without limits.
func DialForBenchmark(ctx context.Context, c *Client, a Address) {
	r, _, f := c.routeOf(ctx, a)
	if f != nil {
		return
	}
	// the dial of a benchmark opens no connection
	_, _ = r.transport.DialContext(ctx, "tcp", net.JoinHostPort(a.host, "443"))
}

// ResolveForTest returns the address that a location leads to, as far as its spelling tells.
func ResolveForTest(from Address, location string) (next Address, refused bool) {
	next, f := from.resolve(location)
	return next, f != nil || next.publicFault() != nil
}

// AllowsForTest reports whether an upstream's guard allows an IP address, with a port or with the
// upstream's own port if port is 0.
func AllowsForTest(u *Upstream, ip netip.Addr, port uint16) bool {
	if port == 0 {
		port = u.base.port
	}
	network := "tcp4"
	if ip.Is6() {
		network = "tcp6"
	}
	return controlOf(u.base)(network, netip.AddrPortFrom(ip, port).String(), nil) == nil
}
