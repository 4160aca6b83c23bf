package model

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// locality is how far away a provider is. A higher value is nearer.
type locality int

const (
	localityInternet locality = iota // somewhere in the world
	localityNetwork                  // the private network that this machine is in
	localityMachine                  // this machine: a call costs nothing
)

// sharedAddresses is the address space of RFC 6598 (100.64.0.0/10), which overlay networks use too.
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

// privateSuffixes are the ends of host names that are never public: by RFC 6762, by RFC 8375, by
// ICANN for private use, and two by custom.
var privateSuffixes = []string{".local", ".home.arpa", ".internal", ".lan", ".home"}

// localityOf returns the locality of a base URL. It does not look host names up. A name that does
// not show that it is private counts as public.
func localityOf(base string) locality {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return localityInternet
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return localityOfAddr(addr.Unmap())
	}
	switch {
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return localityMachine
	case !strings.Contains(host, "."), // such as the host name of another container
		slices.ContainsFunc(privateSuffixes, func(end string) bool { return strings.HasSuffix(host, end) }):
		return localityNetwork
	}
	return localityInternet
}

func localityOfAddr(addr netip.Addr) locality {
	switch {
	case addr.IsLoopback():
		return localityMachine
	case addr.IsPrivate() || addr.IsLinkLocalUnicast() || sharedAddresses.Contains(addr):
		return localityNetwork
	}
	return localityInternet
}
