package model

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// nearness is how far a person's words go to a provider. More is nearer.
type nearness int

const (
	nearNone    nearness = iota // somewhere in the world
	nearNetwork                 // the private network that this machine is in
	nearHere                    // this machine: a call costs nothing
)

// shared is the address space of RFC 6598, which private networks over others' lines use (100.64.0.0/10).
var shared = netip.MustParsePrefix("100.64.0.0/10")

// privateNames are the ends of names that no public server of names knows: RFC 6762, RFC 8375, and what ICANN keeps for
// private use; the others stand for them by custom.
var privateNames = []string{".local", ".home.arpa", ".internal", ".lan", ".home"}

// nearnessOf tells it from a base URL. Names are not looked up: one that does not say so itself is none of here.
func nearnessOf(base string) nearness {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return nearNone
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return nearnessAt(addr.Unmap())
	}
	switch {
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return nearHere
	case !strings.Contains(host, "."), // such as another container's
		slices.ContainsFunc(privateNames, func(end string) bool { return strings.HasSuffix(host, end) }):
		return nearNetwork
	}
	return nearNone
}

func nearnessAt(addr netip.Addr) nearness {
	switch {
	case addr.IsLoopback():
		return nearHere
	case addr.IsPrivate() || addr.IsLinkLocalUnicast() || shared.Contains(addr):
		return nearNetwork
	}
	return nearNone
}
