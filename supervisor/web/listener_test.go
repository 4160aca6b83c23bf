package web

import (
	"net"
	"net/netip"
	"testing"
)

// TestConnections_OfOneAddress_AreLimited checks the limit for a public address. A proxy on this
// machine or network may use all slots, because it makes the calls of many callers.
func TestConnections_OfOneAddress_AreLimited(t *testing.T) {
	for from, bounded := range map[string]bool{
		"127.0.0.1": false, "::1": false, "10.1.2.3": false, "192.168.0.9": false, "fd00::1": false, "::ffff:10.0.0.1": false,
		"149.154.167.220": true, "2001:67c:4e8::9": true, "::ffff:149.154.167.220": true,
	} {
		l := &limitedListener{most: 4 * maxOfAddress}
		address := outerAddress(net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(from), 4711)))
		admitted := 0
		for ; admitted < 2*maxOfAddress && !l.tooMany(address); admitted++ {
			l.admit(&limitedConn{address: address})
		}
		if want := map[bool]int{true: maxOfAddress, false: 2 * maxOfAddress}[bounded]; admitted != want {
			t.Errorf("%s had %d connections, want %d", from, admitted, want)
		}
	}
}
