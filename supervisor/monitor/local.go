// Package monitor lets programs on this machine see how the service does: whether it lives, whether
// it is ready, and its figures in the text format of Prometheus.
package monitor

import (
	"net"
	"net/http"
	"net/netip"
)

// forwardingHeaders are the headers with which proxies name the caller. A request with one of them
// was made by somebody else than a program on this machine.
var forwardingHeaders = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
	"X-Forwarded", "X-Forwarded-Server", "X-Real-Ip", "Via", "Cf-Connecting-Ip", "True-Client-Ip", "X-Client-Ip",
	"X-Cluster-Client-Ip", "X-Original-Forwarded-For", "Fly-Client-Ip", "Fastly-Client-Ip", "X-Envoy-External-Address"}

// LocalOnly returns a handler that answers only programs on this machine. All other callers get an
// empty 404, as for an unknown path. A web page that leads its own name to this machine is also
// refused, because the request's Host has that name.
func LocalOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocal(r) {
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusNotFound)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// isLocal reports whether a program on this machine has made a request, and no proxy.
func isLocal(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() {
		return false
	}
	for _, name := range forwardingHeaders {
		if len(r.Header.Values(name)) > 0 {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host // a Host without a port
	}
	ip, err := netip.ParseAddr(trimBrackets(host))
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// trimBrackets removes the brackets around an IPv6 address without a port.
func trimBrackets(host string) string {
	if n := len(host); n > 1 && host[0] == '[' && host[n-1] == ']' {
		return host[1 : n-1]
	}
	return host
}
