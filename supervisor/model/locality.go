package model

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"mews/supervisor/model/offline"
)

// locality tells how near a provider is. A higher value means nearer.
type locality int

const (
	localityInternet locality = iota // the provider may be anywhere on the internet
	localityNetwork                  // the provider is in this machine's private network
	localityMachine                  // the provider is on this machine
)

// RequestExposure says who reads the requests to a model.
type RequestExposure string

const (
	ExposureNone     RequestExposure = "nobody"   // the model is a part of Mews
	ExposureMachine  RequestExposure = "machine"  // a server on this machine
	ExposureNetwork  RequestExposure = "network"  // a server in the private network
	ExposureProvider RequestExposure = "provider" // a server anywhere else
)

// RequestExposure returns who reads the requests to a model. An unknown model counts as a model of
// a provider.
func (c *Catalogue) RequestExposure(spec string) RequestExposure {
	choice, err := c.Resolve(spec)
	switch p := c.provider(choice); {
	case err != nil:
		return ExposureProvider
	case p.kind == offline.Name:
		return ExposureNone
	case p.locality == localityMachine:
		return ExposureMachine
	case p.locality == localityNetwork:
		return ExposureNetwork
	}
	return ExposureProvider
}

// sharedAddresses is the address space of RFC 6598 (100.64.0.0/10), which overlay networks use too.
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

// privateSuffixes are endings of host names that are never public. They come from RFC 6762, RFC
// 8375 and ICANN; the last two are common practice.
var privateSuffixes = []string{".local", ".home.arpa", ".internal", ".lan", ".home"}

// localityOf returns the locality of a base URL. It does not look up host names. A name that is not
// clearly private counts as public.
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
	case !strings.Contains(host, "."), // a name without a dot, such as another container's
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
